"""Count the prefixes of each country in a table of address ranges.

    npm pack @ip-location-db/geo-whois-asn-country@2.3.2026061719
    tar xf ip-location-db-geo-whois-asn-country-2.3.2026061719.tgz
    python make_allocations.py package > allocations.csv

Each range is what one country holds between addresses of others. The prefixes of a range are the
fewest that cover it and nothing else; `whole` is the one prefix that it would need if it could be
moved to a place of its size.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

BITS = {4: 32, 6: 128}
"""The bits of an address, by version of IP."""


def lengths(first: int, last: int, bits: int) -> Iterator[int]:
    """Give the lengths of the prefixes that cover a range, its ends included."""
    while first <= last:
        aligned = (first & -first).bit_length() - 1 if first else bits
        size = min(aligned, (last - first + 1).bit_length() - 1)
        yield bits - size
        first += 1 << size


def whole(first: int, last: int, bits: int) -> int:
    """Give the length of the smallest prefix with as many addresses."""
    return bits - (last - first).bit_length()


def counted(package: Path) -> Iterator[tuple[str, int, str, int, int]]:
    """Give for each country, version, kind and length how many prefixes there are."""
    for version, bits in BITS.items():
        counts: Counter[tuple[str, int, str, int]] = Counter()
        file = package / f"geo-whois-asn-country-ipv{version}-num.csv"
        with file.open(encoding="ascii", newline="") as lines:
            for first, last, country in csv.reader(lines):
                ends = int(first), int(last)
                counts[country, version, "whole", whole(*ends, bits)] += 1
                for length in lengths(*ends, bits):
                    counts[country, version, "exact", length] += 1
        yield from ((*key, count) for key, count in sorted(counts.items()))


if __name__ == "__main__":
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["country", "version", "kind", "length", "prefixes"])
    writer.writerows(counted(Path(sys.argv[1])))
