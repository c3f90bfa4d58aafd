"""Small data sets with odd lines, for the checks of run.py: two files each."""

import os

GOOD = '{"tenant":"t_%d","meter":{"id":"m_1","site":"Zürich"},"hour":490000}'

SETS = {
    # Only LF ends a line, CRLF too; CR is a blank of JSON, a blank line stays one, U+2028 and U+0085 are text.
    "ends-of-lines": [
        [GOOD % 1, "\n", GOOD % 2, "\r\n", "\n", '{"tenant":\r"t_3",\r"meter":{"id":"m_1"},"hour":1}', "\n", GOOD % 1],
        [GOOD % 1, "\n", '{"tenant":"a\u2028b\u0085c","meter":{"id":"m_1"},"hour":1}', "\n", GOOD % 5, "\n", "\r\n", GOOD % 6, "\n"],
    ],
    # Each refused for another reason, between sound ones.
    "bad-records": [
        [GOOD % 1, "\n", '{"tenant":"t_1"', "\n", GOOD % 2, "\n", '{"tenant":"t_1","tenant":"t_2","meter":{"id":"m_1"},"hour":1}', "\n"],
        [GOOD % 3, "\n", '{"tenant":"t_1","meter":{"id":"m_1"},"hour":9007199254740993}', "\n", "null", "\n", GOOD % 4, "\n"],
    ],
    # Two that differ in bytes which are no UTF-8: they must not get one ID, nor any.
    "damaged": [
        [GOOD % 1, "\n", '{"tenant":"t_', b"\xff", '","meter":{"id":"m_1"},"hour":1}', "\n", GOOD % 2, "\n"],
        [GOOD % 3, "\n", '{"tenant":"t_', b"\xfe", '","meter":{"id":"m_1"},"hour":1}', "\n", GOOD % 4, "\n"],
    ],
}

def write(folder):
    """Writes the sets; gives the paths of each set's files, in order."""
    paths = {}
    for name, files in SETS.items():
        os.makedirs(os.path.join(folder, name))
        paths[name] = []
        for n, pieces in enumerate(files):
            paths[name].append(os.path.join(folder, name, f"part-{n:05d}.ndjson"))
            with open(paths[name][-1], "wb") as out:
                out.write(b"".join(p if isinstance(p, bytes) else p.encode("utf-8") for p in pieces))
    return paths
