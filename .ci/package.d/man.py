"""Prints a man page, made from the help of sandbox-store.

    python3 man.py VERSION DATE HELP COMMANDS

HELP is the output of `sandbox-store --help`, COMMANDS that of `sandbox-store help`; both are read by their indentation.
"""

import pathlib
import re
import sys

version, date, help_file, commands_file = sys.argv[1:]


def escaped(text):
    # A long word may be broken between its alternatives.
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("|", "|\\:")
    return "\\&" + text if text[:1] in (".", "'") else text


def bold(text):
    return ".B " + escaped(text).replace('"', "\\(dq")


def entries(lines):
    """Returns what begins at the left margin, each with its lines further in."""
    found = []
    for line in lines:
        if line.strip() == "":
            found.append(None)
        elif line[0] != " " and (line.startswith("sandbox-store ") or not found or found[-1] is None):
            found.append((line, []))
        elif found and found[-1] is not None:
            found[-1][1].append(line)
    return [entry for entry in found if entry is not None]


def command(first, lines):
    """Returns the part about one command of the tool."""
    usage, text, options = [first], [], []
    for line in lines:
        option = re.match(r"    (--\S+(?: [^ ]+)*)  +(\S.*)$", line)
        if not text and not options and line.startswith("     "):
            usage.append(line.strip())
        elif option:
            options.append([option[1], option[2]])
        elif options:
            options[-1][1] += f" {line.strip()}"
        else:
            text.append(line.strip())
    page = [".PP", bold(" ".join(usage)), ".RS 4", escaped(" ".join(text))]
    for name, meaning in options:
        page += [".TP", bold(name), escaped(meaning)]
    return [*page, ".RE"]


help_lines = pathlib.Path(help_file).read_text().splitlines()
name, summary = help_lines[0].split(": ", 1)
page = [
    f'.TH SANDBOX\\-STORE 1 "{date}" "sandbox\\-store {version}" "User Commands"', ".ad l", ".nh",
    ".SH NAME", f"{escaped(name)} \\- {escaped(summary)}",
    ".SH SYNOPSIS", ".B sandbox\\-store", ".I COMMAND", ".RI [ WORD \\|.\\|.\\|.]", ".SH DESCRIPTION",
]
notes = []
for first, lines in entries(help_lines[1:]):
    if first.startswith("sandbox-store "):
        page += command(first, lines)
    else:
        notes += [".PP", escaped(" ".join([first, *map(str.strip, lines)]))]
page += [".SH COMMANDS OF A STORE"]
for line in pathlib.Path(commands_file).read_text().splitlines():
    if line.startswith(" " * 10) and page[-1].startswith(".B "):
        # A usage that goes on.
        page[-1] += " " + bold(line.strip())[len(".B ") :]
    elif line.startswith("      "):
        page.append(escaped(line.strip()))
    elif line.startswith("  "):
        page += [".TP", bold(line.strip())]
    elif line.strip():
        page += [".SS " + escaped(line.rstrip(":"))]
print("\n".join([*page, ".SH NOTES", *notes]))
