"""Provide the word numbering of `contrib.learn.preprocessing`."""

from __future__ import annotations

import collections
import pickle
import re
from collections.abc import Iterator

import numpy as np

_TOKEN = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator) -> Iterator[list[str]]:
    """Yield the list of words of each text."""
    for value in iterator:
        yield _TOKEN.findall(value)


class CategoricalVocabulary:
    """A numbering of words; 0 is the number of unknown words.

    Args:
      unknown_token: the text of unknown words.
      support_reverse: whether `reverse` is supported.
    """

    __module__ = "shims.compat.v1.contrib.learn.preprocessing"

    def __init__(self, unknown_token="<UNK>", support_reverse=True):
        self._unknown_token, self._support_reverse = unknown_token, support_reverse
        self._mapping = {unknown_token: 0}
        self._reverse_mapping = [unknown_token]
        self._freq: dict = collections.defaultdict(int)
        self._freeze = False

    def __len__(self):
        return len(self._mapping)

    def freeze(self, freeze=True) -> None:
        """Give new words the number 0; with `freeze=False`, give new words new numbers again."""
        self._freeze = freeze

    def get(self, category) -> int:
        """Return the number of a word; a new word gets the next number."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category, count=1) -> None:
        """Count a word."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency, max_frequency=-1) -> None:
        """Leave out words by their counts, and number the remaining words by descending count.

        Args:
          min_frequency: words that occurred at most this often are left out.
          max_frequency: if positive, words that occurred at least this often are left out.
        """
        by_name = sorted(self._freq.items(), key=lambda x: (isinstance(x[0], str), x[0]))
        ordered = sorted(by_name, key=lambda x: x[1], reverse=True)
        self._mapping, self._reverse_mapping = {self._unknown_token: 0}, [self._unknown_token]
        for category, count in ordered:
            if max_frequency > 0 and count >= max_frequency:
                continue
            if count <= min_frequency:
                break
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        self._freq = dict(ordered[: len(self._mapping) - 1])

    def reverse(self, class_id):
        """Return the word that has a number.

        Raises:
          ValueError: the vocabulary does not support it.
        """
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary wasn't initialized with support_reverse to support reverse() function."
            )
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """A converter of texts to rows of word numbers.

    Args:
      max_document_length: the length of a row. Longer texts are cut, and shorter texts are padded with 0.
      min_frequency: words that occurred at most this often are unknown.
      vocabulary: a `CategoricalVocabulary`; a new one when `None`.
      tokenizer_fn: a function of texts that yields the words of each text; `tokenizer` when `None`.
    """

    __module__ = "shims.compat.v1.contrib.learn.preprocessing"

    def __init__(self, max_document_length, min_frequency=0, vocabulary=None, tokenizer_fn=None):
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents, unused_y=None) -> VocabularyProcessor:
        """Number the words of texts, and return this object."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents, unused_y=None) -> Iterator[np.ndarray]:
        """Number the words of texts, and yield their rows."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents) -> Iterator[np.ndarray]:
        """Yield the row of each text."""
        for tokens in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for i, token in enumerate(tokens[: self.max_document_length]):
                row[i] = self.vocabulary_.get(token)
            yield row

    def reverse(self, documents) -> Iterator[str]:
        """Yield the text of each row."""
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in row)

    def save(self, filename) -> None:
        """Write this object to a file."""
        with open(filename, "wb") as file:
            pickle.dump(self, file)

    @classmethod
    def restore(cls, filename) -> VocabularyProcessor:
        """Read an object that `save` wrote. As it is a pickle, read only files that you trust."""
        with open(filename, "rb") as file:
            return pickle.load(file)
