"""The games of reinforcement learning that programs play: a pole on a cart, and a pendulum.

The equations are those of Barto, Sutton and Anderson (1983), and of a rod with a motor at its end. A game takes at
most `LENGTH` steps.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

LENGTH = 30


class _Discrete:
    def __init__(self, n: int) -> None:
        self.n, self.shape = n, ()

    def sample(self) -> int:
        """Draw an action."""
        return int(np.random.randint(self.n))


class _Box:
    def __init__(self, size: int, bound: float) -> None:
        self.shape = (size,)
        self.low, self.high = np.full(size, -bound), np.full(size, bound)

    def sample(self) -> np.ndarray:
        """Draw an action."""
        return np.random.uniform(self.low, self.high)


class _Game:
    """A game: `move` gives the next state, the reward, and whether it ends."""

    observation_space: Any
    action_space: Any

    def __init__(self) -> None:
        self.random = np.random.RandomState(5)
        self.spec = types.SimpleNamespace(max_episode_steps=LENGTH)
        self.unwrapped = self

    def start(self) -> np.ndarray:
        """Draw the first state."""
        raise NotImplementedError

    def move(self, action) -> tuple[float, bool]:
        """Change the state; return the reward, and whether the game is over."""
        raise NotImplementedError

    def seen(self) -> np.ndarray:
        """Return what the player sees of the state."""
        return self.state

    def seed(self, seed=None) -> None:
        """Set the seed of the first states."""
        self.random = np.random.RandomState(seed)

    def reset(self, seed=None) -> np.ndarray:
        """Begin a game."""
        if seed is not None:
            self.seed(seed)
        self.state, self.count = self.start(), 0
        return self.seen()

    def step(self, action) -> tuple[np.ndarray, float, bool, dict[str, Any]]:
        """Take an action."""
        reward, over = self.move(action)
        self.count += 1
        return self.seen(), reward, over or self.count >= LENGTH, {}

    def render(self, *rest, **options) -> None:
        """Draw nothing."""

    close = render


class CartPole(_Game):
    """A pole on a cart, which is pushed to the left (0) or the right (1)."""

    observation_space, action_space = _Box(4, 4.8), _Discrete(2)

    def start(self) -> np.ndarray:
        """Draw positions and speeds near zero."""
        return self.random.uniform(-0.05, 0.05, 4)

    def move(self, action) -> tuple[float, bool]:
        """Push the cart for 0.02 s with 10 N: a cart of 1 kg, a pole of 1 m and 0.1 kg."""
        _, speed, angle, turn = self.state
        force = 10.0 if int(action) == 1 else -10.0
        pushed = (force + 0.05 * turn**2 * np.sin(angle)) / 1.1
        twist = (9.8 * np.sin(angle) - np.cos(angle) * pushed) / (
            0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1)
        )
        gain = pushed - 0.05 * twist * np.cos(angle) / 1.1
        self.state = self.state + 0.02 * np.array([speed, gain, turn, twist])
        return 1.0, bool(abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.2095)


class Pendulum(_Game):
    """A rod that a motor swings up."""

    observation_space, action_space = _Box(3, 8.0), _Box(1, 2.0)

    def start(self) -> np.ndarray:
        """Draw an angle and a speed."""
        return self.random.uniform([-np.pi, -1], [np.pi, 1])

    def seen(self) -> np.ndarray:
        """Return the place of the end of the rod, and its speed."""
        angle, turn = self.state
        return np.array([np.cos(angle), np.sin(angle), turn])

    def move(self, action) -> tuple[float, bool]:
        """Turn a rod of 1 m and 1 kg for 0.05 s."""
        angle, turn = self.state
        force = float(np.clip(np.reshape(action, -1)[0], -2, 2))
        from_top = (angle + np.pi) % (2 * np.pi) - np.pi
        cost = from_top**2 + 0.1 * turn**2 + 0.001 * force**2
        turn = np.clip(turn + 0.05 * (15 * np.sin(angle) + 3 * force), -8, 8)
        self.state = np.array([angle + 0.05 * turn, turn])
        return -cost, False


def make(name: str, *rest, **options) -> _Game:
    """Return the game of a name, of any version."""
    del rest, options
    return {"CartPole": CartPole, "Pendulum": Pendulum}[name.split("-")[0]]()


def module() -> types.ModuleType:
    """Return a module `gym`."""
    found = types.ModuleType("gym")
    found.make = make  # type: ignore[attr-defined]
    return found
