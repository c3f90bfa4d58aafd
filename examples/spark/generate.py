"""Writes a partitioned data set: one usage report a line, the same bytes on every machine.

    python3 generate.py --records 200000 --partitions 8 FOLDER

Every sixteenth report or so is a retry: an operation that was reported before,
perhaps in another partition, by a writer with other habits (other order of
members, blanks, escapes, 490001.0 for 490001) and with a later time of
sending. operations() says which operation a line is, so that what the
IDs say can be compared with what is true.
"""

import argparse
import json
import os
import random

SITES = ["Zürich", "Kraków", "São Paulo", "東京", "Reykjavík", "Wien", "Nairobi", "🏔 Chamonix"]
UNITS = ["kWh", "GiB", "call", "m³"]


def bounds(records, partitions):
    """First and last-but-one line of each partition, counted from 0 over all."""
    return [(records * p // partitions, records * (p + 1) // partitions) for p in range(partitions)]


def operation_of(line, seed):
    """The number of the operation that a line reports: its own, or an earlier line's."""
    chance = random.Random(f"{seed}/which/{line}")
    while line and chance.random() < 1 / 16:
        line = int(chance.random() * line)
        chance = random.Random(f"{seed}/which/{line}")
    return line


def operations(records, seed=1):
    """The operation of each line, in order."""
    return [operation_of(line, seed) for line in range(records)]


def report(line, seed):
    """The text of one line, without its end."""
    operation = operation_of(line, seed)
    fixed = random.Random(f"{seed}/operation/{operation}")
    place = int(fixed.random() * len(SITES))
    sent = random.Random(f"{seed}/sent/{line}").random()
    value = {
        "tenant": f"t_{int(fixed.random() * 1000)}",
        "meter": {"id": f"m_{int(fixed.random() * 1000000)}", "site": SITES[place], "unit": UNITS[place % len(UNITS)]},
        "hour": 490000 + operation,
        "units": int(fixed.random() * 1000000) / 1000,
        "contact": f"ops{place}@example.com",
        "sent_ms": 1764000000000 + line * 7 + int(sent * 7),
        "tags": ["metered", f"r{int(fixed.random() * 8)}"],
        "note": 'first "reading"\tof the hour' if place == 3 else "",
    }
    if operation == line:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    turned = {name: value[name] for name in reversed(value)}
    if sent < 0.5:
        turned["hour"] = float(turned["hour"])
    return json.dumps(turned, ensure_ascii=sent < 0.75)


def write(folder, records, partitions, seed=1):
    """Writes part-00000.ndjson and so on; gives their paths, in order."""
    os.makedirs(folder)
    paths = []
    for p, (first, end) in enumerate(bounds(records, partitions)):
        paths.append(os.path.join(folder, f"part-{p:05d}.ndjson"))
        with open(paths[-1], "w", encoding="utf-8", newline="\n") as out:
            for line in range(first, end):
                out.write(report(line, seed) + "\n")
    return paths


def main():
    parser = argparse.ArgumentParser(description="write a partitioned data set of usage reports")
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("folder")
    o = parser.parse_args()
    write(o.folder, o.records, o.partitions, o.seed)


if __name__ == "__main__":
    main()
