"""Reads an xlsx file with nothing but zipfile and expat, and prints its sheets as JSON: lists of rows of [type, text]."""
import json, re, sys, zipfile
import xml.parsers.expat as expat

archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None, 'a checksum is wrong'
for name in archive.namelist():
    expat.ParserCreate(namespace_separator=' ').Parse(archive.read(name), True)


def column(reference):
    number = 0
    for letter in re.match('[A-Z]+', reference).group():
        number = number * 26 + ord(letter) - 64
    return number - 1


def unescape(text):
    return re.sub('_x([0-9A-Fa-f]{4})_', lambda found: chr(int(found.group(1), 16)), text)


def read(data):
    rows, state = [], {}

    def start(tag, attributes):
        if tag == 'row':
            assert int(attributes['r']) == len(rows) + 1, 'a row is out of place'
            rows.append({})
        elif tag == 'c':
            state.update(column=column(attributes['r']), type=attributes.get('t', 'n'), text='')
        elif tag == 'f':
            raise AssertionError('a formula')

    def end(tag):
        if tag == 'c':
            rows[-1][state['column']] = [state['type'], state['text']]

    def text(data):
        if 'text' in state:
            state['text'] += data

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.Parse(data, True)
    return [[[row[i][0], unescape(row[i][1])] if i in row else None for i in range(max(row, default=-1) + 1)] for row in rows]


sheets = sorted((name for name in archive.namelist() if 'worksheets' in name), key=lambda name: int(re.search(r'\d+', name).group()))
# Lone surrogates are legal in JSON's escapes, and this prints them so.
print(json.dumps([read(archive.read(name)) for name in sheets]))
