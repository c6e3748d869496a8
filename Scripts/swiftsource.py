"""What a place of a Swift source is guarded by: `#if`, `@available` and `#available`.

It reads the text, since the compiler ignores both kinds of availability on Linux.
"""

import re
from typing import NamedTuple

UNAVAILABLE = (999,)

# The keyword of a declaration, or a macro that is one.
DECLARATION = re.compile(
    r"#[A-Z]\w+|\b(?:func|var|let|class|struct|enum|actor|protocol|extension|init|deinit|subscript|typealias|case|macro"
    r"|import)\b"
)
# A line that begins like this continues the one above.
CONTINUATION = re.compile(r"\s*(?:where\b|->|[{:=.&,)]|throws\b|async\b|rethrows\b)")
# Comments, strings, raw identifiers, and regular expressions after a sign that an operand follows.
OPAQUE = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|(?P<raw>#+)""".*?"""(?P=raw)|(?P<hash>#+)".*?"(?P=hash)|""".*?"""|"(?:\\.|[^"\\\n])*"'
    r"|`[^`\n]*`|(?<=[(,:=] )/[^ /\n](?:\\.|[^/\\\n])*/|(?<=[(])/[^ /*\n](?:\\.|[^/\\\n])*/",
    re.DOTALL,
)


def version(text):
    """Returns a version as three numbers, which Python compares."""
    numbers = [int(number) for number in text.split(".")]
    return tuple(numbers + [0] * (3 - len(numbers)))


class Guard(NamedTuple):
    """A part of a source, and the version of each platform that it needs."""

    start: int
    end: int
    versions: dict


class Source:
    def __init__(self, text):
        self.text = text
        # Of the same length, with spaces in place of comments and strings.
        self.code = OPAQUE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        self.lines = [0] + [match.end() for match in re.finditer("\n", text)]
        self.guards = list(self.find_guards())
        self.branches = list(self.find_branches())

    def offset(self, line, column):
        """Returns the offset of a line and a column of bytes, both from 1."""
        start = self.lines[line - 1]
        end = self.lines[line] if line < len(self.lines) else len(self.text)
        return start + len(self.text[start:end].encode()[: column - 1].decode(errors="ignore"))

    def guaranteed(self, offset, platform):
        """Returns the version of a platform that the guards around a place guarantee."""
        around = (guard.versions.get(platform) for guard in self.guards if guard.start <= offset < guard.end)
        return max(filter(None, around), default=(0,))

    def is_compiled(self, offset, platform):
        around = (condition for start, end, condition in self.branches if start <= offset < end)
        return all(truth(condition, platform) > 0 for condition in around)

    # `@available` and `#available`

    def find_guards(self):
        for match in re.finditer(r"[@#]available\s*\(", self.code):
            end = self.closing(match.end() - 1)
            versions = required(self.code[match.end() : end - 1])
            if match[0].startswith("@"):
                yield Guard(self.start_of_attributes(match.start()), self.end_of_declaration(end), versions)
            elif re.search(r"\bguard\b[^{}]*$", self.code[: match.start()]):
                # From the condition on, up to the end of the block around it, without the block of `else`.
                body = self.code.index("{", end)
                yield Guard(match.start(), body, versions)
                yield Guard(self.closing(body), self.end_of_block(match.start()), versions)
            else:
                yield Guard(match.start(), self.closing(self.code.index("{", end)), versions)

    def start_of_attributes(self, offset):
        """Returns where the first attribute of a declaration begins."""
        start = self.code.rfind("\n", 0, offset) + 1
        while start and self.code[self.code.rfind("\n", 0, start - 1) + 1 : start].lstrip().startswith("@"):
            start = self.code.rfind("\n", 0, start - 1) + 1
        return start

    def end_of_declaration(self, offset):
        """Returns where the declaration ends whose attributes end at a place."""
        position = DECLARATION.search(self.code, offset).end()
        while position < len(self.code):
            sign = self.code[position]
            if sign in "([":
                position = self.closing(position)
                continue
            if sign == "{":
                return self.closing(position)
            if sign == "\n" and not CONTINUATION.match(self.code, position):
                return position
            position += 1
        return position

    def closing(self, offset):
        """Returns the place after the bracket that closes the one at a place."""
        depth = 0
        for match in re.compile(r"[(\[{]|[)\]}]").finditer(self.code, offset):
            depth += 1 if match[0] in "([{" else -1
            if depth == 0:
                return match.end()
        return len(self.code)

    def end_of_block(self, offset):
        depth = 0
        for match in re.compile(r"[{}]").finditer(self.code, offset):
            depth += 1 if match[0] == "{" else -1
            if depth < 0:
                return match.start()
        return len(self.code)

    # `#if`

    def find_branches(self):
        """Returns the start, the end and the condition of each branch."""
        open_branches = []
        for match in re.finditer(r"^[ \t]*#(if|elseif|else|endif)\b([^\n]*)", self.code, re.MULTILINE):
            if match[1] != "if":
                start, condition, earlier = open_branches.pop()
                yield start, match.start(), condition
            if match[1] == "if":
                open_branches.append((match.end(), match[2], [match[2]]))
            elif match[1] != "endif":
                others = " && ".join(f"!({other})" for other in earlier)
                condition = others if match[1] == "else" else f"{others} && ({match[2]})"
                open_branches.append((match.end(), condition, [*earlier, match[2]]))


def required(arguments):
    """Returns the version of each platform in the arguments of `available`."""
    name = re.match(r"\s*(\w+|\*)\s*,", arguments)
    if name and re.search(r"\bunavailable\b", arguments):
        platforms = PLATFORMS if name[1] == "*" else [name[1]]
        return {platform: UNAVAILABLE for platform in platforms}
    introduced = re.search(r"\bintroduced:\s*([\d.]+)", arguments)
    if name and introduced:
        return {name[1]: version(introduced[1])}
    return {name: version(number) for name, number in re.findall(r"(\w+)\s+([\d.]+)", arguments)}


PLATFORMS = ("macOS", "iOS", "tvOS", "watchOS", "visionOS")
# Of Apple's platforms. Whether a module in neither list exists is unknown.
MODULES = {"Darwin", "ObjectiveC", "SwiftUI", "Foundation", "Dispatch", "Testing", "XCTest", "Observation", "os"}
OTHER_MODULES = {"Glibc", "Musl", "Android", "Bionic", "WASILibc", "CRT", "WinSDK", "CDispatch"}


class Truth(float):
    """1 for true, 0 for false, and 0.5 for what nothing here tells."""

    __and__, __or__ = (lambda a, b: Truth(min(a, b))), (lambda a, b: Truth(max(a, b)))

    def __invert__(self):
        return Truth(1 - self)


def truth(condition, platform):
    """Returns whether the condition of an `#if` holds on a platform."""

    def value(match):
        name, argument = match[1], match[2]
        if name == "os":
            return f"Truth({argument in (platform, 'OSX' if platform == 'macOS' else '')})"
        if name == "canImport" and argument in MODULES | OTHER_MODULES:
            return f"Truth({argument in MODULES})"
        return "Truth(0.5)"

    # A function with an argument, or a name.
    expression = re.sub(r"\b(\w+)(?:\s*\(([^()]*)\))?", value, condition)
    for sign, operator in {"&&": "&", "||": "|", "!": "~"}.items():
        expression = expression.replace(sign, operator)
    return eval(expression.strip(), {"Truth": Truth})
