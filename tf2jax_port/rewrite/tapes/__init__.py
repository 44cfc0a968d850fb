"""Turn blocks of gradient tapes into functions."""
