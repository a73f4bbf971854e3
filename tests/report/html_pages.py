"""Reading HTML pages strictly, for tests of the report."""

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "wbr"}
HOSTILE = "<script>alert(1)</script>\"'&|`*"


class Balance(HTMLParser):
    """Fails unless every element is closed in order."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.seen = []
        self.text = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.text.append(data)


def read(page: str) -> Balance:
    parser = Balance()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser
