def rows(paths, separator):
    for path in paths:
        with open(path) as lines:
            yield from (line.strip().split(separator) for line in lines)
