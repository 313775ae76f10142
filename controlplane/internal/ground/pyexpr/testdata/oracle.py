"""Evaluates expressions in CPython, the oracle of the differential test.

Reads lines of JSON {"expr", "value", "record"} and answers each with {"value": canonical text} or {"error": name of the exception}.
"""
import ast
import datetime as datetime_module
import json
import math
import re
import resource
import string
import sys
import unicodedata
from datetime import date, datetime, time, timedelta, timezone

LETTERS = {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D",
           "þ": "th", "Þ": "TH", "ł": "l", "Ł": "L", "ħ": "h", "Ħ": "H", "ı": "i", "ŋ": "n", "Ŋ": "N", "ŧ": "t", "Ŧ": "T", "ĸ": "k", "ſ": "s"}


# The helpers, as docs/transforms.md defines them.
def none_for_none(f):
    return lambda value, *a, **k: None if value is None else f(value, *a, **k)


def plain(name):
    return none_for_none(lambda value, *a: getattr(str(value), name)(*a))


def join(values, sep=" "):
    if values is None or isinstance(values, str):
        return values
    return sep.join(str(v) for v in values if v is not None and v != "")


def re_sub(pattern, repl, value, count=0, flags=0):
    return None if value is None else re.sub(pattern, repl, str(value), count, flags)


def re_match(pattern, value, flags=0):
    return None if value is None else re.search(pattern, str(value), flags) is not None


def re_extract(pattern, value, group=None, flags=0):
    m = None if value is None else re.search(pattern, str(value), flags)
    if m is None:
        return None
    return m.group(min(1, m.re.groups) if group is None else group)


def unaccent(value):
    if value is None:
        return None
    s = unicodedata.normalize("NFKD", "".join(LETTERS.get(c, c) for c in str(value)))
    return unicodedata.normalize("NFC", "".join(c for c in s if unicodedata.category(c) != "Mn"))


def escape_dn(value):
    if value is None:
        return None
    s = str(value)
    out = []
    for i, c in enumerate(s):
        if c == "\0":
            out.append("\\00")
        elif c in ',+"\\<>;=' or c == "#" and i == 0 or c == " " and i in (0, len(s) - 1):
            out.append("\\" + c)
        else:
            out.append(c)
    return "".join(out)


def parse_datetime(value, *formats):
    if value is None or isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    s = str(value).strip()
    if not formats:
        return datetime.fromisoformat(s)
    for f in formats:
        try:
            return datetime.strptime(s, f)
        except ValueError:
            pass
    raise ValueError(s)


def parse_date(value, *formats):
    m = parse_datetime(value, *formats)
    return None if m is None else m.date()


def format_date(value, format="%Y-%m-%d"):
    if value is None:
        return None
    return (value if isinstance(value, date) else parse_datetime(value)).strftime(format)


def coalesce(*values):
    return next((v for v in values if v is not None and v != ""), None)


MISSING = object()


def map_value(value, mapping, default=MISSING):
    if value in mapping:
        return mapping[value]
    if default is MISSING:
        if value is None:
            return None
        raise KeyError(value)
    return default


def first(values, default=None):
    if values is None:
        return default
    return values if isinstance(values, str) else next(iter(values), default)


def get(record, path, default=None):
    if isinstance(record, dict) and path in record:
        return record[path]
    v = record
    for name in path.split("."):
        if isinstance(v, dict) and name in v:
            v = v[name]
        elif isinstance(v, list) and name.isascii() and name.isdigit() and int(name) < len(v):
            v = v[int(name)]
        else:
            return default
    return v


def catch(f, otherwise):
    try:
        return f()
    except Exception:
        return otherwise()


class Default(ast.NodeTransformer):
    """Makes default(a, b) ask for b only when a raises an exception."""

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "default":
            none = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
            node.func.id = "catch"
            node.args = [ast.Lambda(none, a) for a in node.args]
        return node


NAMES = {
    "re": re, "math": math, "string": string, "unicodedata": unicodedata, "date": date, "time": time, "timedelta": timedelta, "timezone": timezone,
    "join": join, "re_sub": re_sub, "re_match": re_match, "re_extract": re_extract, "unaccent": unaccent, "escape_dn": escape_dn, "parse_datetime": parse_datetime,
    "parse_date": parse_date, "format_date": format_date, "coalesce": coalesce, "map_value": map_value, "first": first, "get": get, "catch": catch,
    "normalize": none_for_none(lambda value, form="NFC": unicodedata.normalize(form, str(value))),
    **{name: plain(name) for name in "lower upper title capitalize casefold strip lstrip rstrip replace split".split()},
}


def canon(v):
    if isinstance(v, list):
        return "[" + ",".join(map(canon, v)) + "]"
    if isinstance(v, tuple):
        return "(" + ",".join(map(canon, v)) + ")"
    if isinstance(v, dict):
        return "{" + ",".join(canon(k) + ":" + canon(x) for k, x in v.items()) + "}"
    if isinstance(v, (set, frozenset)):
        return type(v).__name__ + "{" + ",".join(sorted(map(canon, v))) + "}"
    if v is None or isinstance(v, (bool, int, float, str, bytes, date, time, timedelta, timezone, range)):
        return str(int(v)) if isinstance(v, int) and not isinstance(v, bool) else repr(v)
    if isinstance(v, re.Match):
        return "match" + canon((v.span(),) + v.groups())
    if hasattr(v, "__iter__") and not isinstance(v, type):
        return "iter" + canon(list(v))
    return "object"


def decode(pairs):
    return dict(sorted(pairs))


def number(s):
    f = float(s)
    return int(f) if f == math.trunc(f) and abs(f) < 1 << 53 else f


def main():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
    for line in sys.stdin:
        case = json.loads(line, object_pairs_hook=decode, parse_float=number)
        names = dict(NAMES, value=case["value"], record=case["record"])
        module = re.search(r"\bdatetime\.(datetime|date\(|date\.|time\(|timedelta|timezone)", case["expr"])
        names["datetime"] = datetime_module if module else datetime
        try:
            tree = ast.fix_missing_locations(Default().visit(ast.parse(case["expr"].strip(), mode="eval")))
            answer = {"value": canon(eval(compile(tree, "transform", "eval"), names))}
        except Exception as e:
            answer = {"error": type(e).__name__, "message": str(e)}
        except RecursionError:
            answer = {"error": "RecursionError"}
        print(json.dumps(answer))


main()
