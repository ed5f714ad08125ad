"""python -m tests.simulation [--schedules N] [--first SEED] [--workers N] [--seed SEED]

Runs N seeds and prints how many broke no invariant; the first that breaks one is shrunk, and its schedule printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from multiprocessing import Pool

from tests.simulation.choices import Choices
from tests.simulation.run import violation_of
from tests.simulation.shrink import shortest

SHARE = 250


def main():
    """Exit code 1 if a schedule breaks an invariant."""
    arguments = _arguments()
    if arguments.seed is not None:
        return _tell(arguments.seed)
    begun = time.monotonic()
    last = arguments.first + arguments.schedules
    shares = [range(start, min(start + SHARE, last)) for start in range(arguments.first, last, SHARE)]
    done = 0
    with Pool(arguments.workers) as pool:
        for share, seed in pool.imap_unordered(first_violation, shares):
            if seed is not None:
                pool.terminate()
                return _tell(seed)
            done += len(share)
            print(f"\r{done:,} of {arguments.schedules:,} schedules", end="", flush=True)
    print(f"\r{done:,} schedules from seed {arguments.first}: no violation, {time.monotonic() - begun:.0f} s")
    return 0


def first_violation(seeds):
    """(seeds, the first of them that breaks an invariant or None)."""
    return seeds, next((seed for seed in seeds if violation_of(Choices(seed=seed)) is not None), None)


def _tell(seed):
    print(f"\n{report(seed) or f'seed {seed} breaks no invariant'}")
    return int(violation_of(Choices(seed=seed)) is not None)


def report(seed):
    """What the seed breaks and the shortest schedule that does; None if it breaks nothing."""
    choices = Choices(seed=seed)
    message = violation_of(choices)
    if message is None:
        return None
    record, trace = shortest(choices.record, message), []
    shown = violation_of(Choices(record=record), trace)
    return "\n".join([f"seed {seed}: {message}", f"shortest schedule ({len(record)} choices): {shown}", *trace])


def _arguments():
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__.split("\n\n")[1])
    parser.add_argument("--schedules", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--seed", type=int, help="only this one, with its schedule if it breaks an invariant")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
