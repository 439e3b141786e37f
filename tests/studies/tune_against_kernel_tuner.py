#!/usr/bin/env python3
"""What Kernel Tuner (https://github.com/KernelTuner/kernel_tuner, from PyPI) finds in the spaces of tune_simulation, in
its simulation mode, with as many evaluations as a search of bench tune may make looks: a tenth of the
configurations. Its default strategy is brute force, which stops at that number in its own order.

Usage: tune_against_kernel_tuner.py FOLDER [SEEDS], the FOLDER being what `tune_simulation --write FOLDER` wrote.
"""

import contextlib
import io
import json
import random
import sys
from pathlib import Path

import numpy
from kernel_tuner import tune_kernel

# The default, chance, and two that are used much.
STRATEGIES = ["brute_force", "random_sample", "genetic_algorithm", "greedy_ils"]


def searched(cache, path, strategy, seed, most):
    """The configuration that the search says is best."""
    random.seed(seed)
    numpy.random.seed(seed)
    names = cache["tune_params_keys"]
    # It reads the source of a function, and takes one without for what it is.
    is_known = eval('lambda p: ",".join(str(p[n]) for n in names) in known',  # noqa: S307
                    {"names": names, "known": cache["cache"]})
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        options = {} if strategy == "brute_force" else {"max_fevals": most}
        results, _ = tune_kernel(
            cache["kernel_name"], "", 1, [], dict(cache["tune_params"]), strategy=strategy,
            strategy_options=options, restrictions=is_known,
            simulation_mode=True, cache=str(path), lang="CUDA", quiet=True)
    seen = [one for one in results if isinstance(one.get("time"), (int, float))]
    if strategy == "brute_force":
        seen = seen[:most]
    return min(seen, key=lambda one: one["time"])


def main(arguments):
    folder = Path(arguments[0])
    seeds = int(arguments[1]) if len(arguments) > 1 else 20
    print("| space | valid | " + " | ".join(STRATEGIES) + " |")
    print("| --- | ---: |" + " --- |" * len(STRATEGIES))
    for path in sorted(folder.glob("*.json")):
        cache = json.loads(path.read_text(encoding="utf-8"))
        known = cache["cache"]
        best = min(one["true_time"] for one in known.values() if "true_time" in one)
        most = len(known) // 10
        cells = []
        for strategy in STRATEGIES:
            losses = []
            for seed in range(1, 2 if strategy == "brute_force" else seeds + 1):
                found = searched(cache, path, strategy, seed, most)
                key = ",".join(str(found[name]) for name in cache["tune_params_keys"])
                losses.append(known[key]["true_time"] / best - 1)
            good = sum(loss <= 0.02 for loss in losses)
            cells.append(f"{good} of {len(losses)}, worst {100 * max(losses):.1f} %")
        print(f"| {cache['kernel_name']} | {len(known)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
