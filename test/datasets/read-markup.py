"""Reads what others would read: xml by expat, aware of namespaces; html by Python's own parser, every tag closed in turn."""
import json
import sys
from html.parser import HTMLParser
from xml.parsers import expat

void = {"meta"}


def read_xml(data):
    root = {"name": "", "children": [], "text": ""}
    path = [root]

    def start(name, attributes):
        element = {"name": name, "attributes": attributes, "children": [], "text": ""}
        path[-1]["children"].append(element)
        path.append(element)

    def text(piece):
        path[-1]["text"] += piece

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: path.pop()
    parser.CharacterDataHandler = text
    parser.Parse(data, True)
    return root["children"][0]


class Table(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.path, self.rows = [], []

    def handle_starttag(self, tag, attrs):
        if tag in void:
            return
        self.path.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.path.pop() == tag, tag

    def handle_data(self, data):
        if self.path and self.path[-1] in ("th", "td"):
            self.rows[-1][-1] += data
        elif data.strip():
            assert self.path[-1] in ("title", "style"), data


def read_html(data):
    table = Table()
    table.feed(data.decode("utf-8"))
    table.close()
    assert table.path == [], table.path
    return table.rows


for file in json.load(sys.stdin):
    read = read_html if file["format"] == "html" else read_xml
    print(json.dumps(read(file["text"].encode("utf-8"))))
