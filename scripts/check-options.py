#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints where a manual page and the help of its program differ, in options
and commands, and then fails; silent when all is well.

usage: scripts/check-options.py PAGE PROGRAM [ARGUMENT ...]

Options of a page are the tags of its sections "OPTIONS", "OPTIONS OF A, B AND
C", which are commands that have all of them, and "OTHER OPTIONS". A tag
--PROPERTY=VALUE stands for the thresholds and durations among the properties of
clframesum. What a page names elsewhere, in its synopsis or an example, has to
be an option, too.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
OPTION = re.compile(r'(?<![\w-])(?:--[a-zA-Z][\w-]*|-[a-zA-Z])(?![\w-])')
WORD = re.compile(r'"([^"]*)"|(\S+)')  # of a macro of groff's
GENERIC = '--PROPERTY'
LONG = re.compile(r'(?<![\w-])--[a-z][\w-]*')


def read_page(path):
    """All text, and the tags of each section by its heading."""
    text = path.read_text().replace('\\-', '-')
    text = re.sub(r'\\f[A-Z]|^\.\\".*\n', '', text, flags=re.MULTILINE)
    tags, heading, is_tag = {}, '', False
    for line in text.split('\n'):
        macro, _, rest = line.partition(' ')
        if macro == '.SH':
            heading = rest
        elif is_tag and macro in ('.B', '.I'):
            tags.setdefault(heading, []).append(rest)
        elif is_tag:  # macros of two fonts join their words
            tags.setdefault(heading, []).append(''.join(
                first or second for first, second in WORD.findall(rest)))
        is_tag = macro == '.TP'
    return text, tags


def sections_of_options(tags):
    """Heading, commands, options; '' is the program without a command."""
    for heading, lines in tags.items():
        match = re.fullmatch(r'(?:OTHER )?OPTIONS(?: OF (.*))?', heading)
        if match:
            commands = re.split(r', | and ', (match[1] or '').lower())
            yield heading, commands, {
                option for line in lines for option in OPTION.findall(line)}


def read_help(program, *commands):
    """The options, and the commands, that are listed in it."""
    process = subprocess.run([*program, *commands, '--help'], text=True,
                             stdout=subprocess.PIPE, check=False)
    if process.returncode:
        sys.exit(f'{" ".join(process.args)}: exit status {process.returncode}')
    options = set()
    for line in process.stdout.split('\n'):
        if re.match(r' +-', line):  # what is said of it has its own column
            options.update(OPTION.findall(re.split(r' {2,}', line.strip())[0]))
    braces = re.search(r'\{([a-z,-]+)\}', process.stdout)
    return options, set(braces[1].split(',') if braces else [])


def properties():
    """Options of the thresholds and durations of clframesum."""
    cache = json.loads((ROOT / 'docs/gst_plugins_cache.json').read_text())
    element = cache['opencl']['elements']['clframesum']
    return {f'--{name}' for name, value in element['properties'].items()
            if value['type'] in ('gdouble', 'guint64')}


def differences(page, program):
    text, tags = read_page(page)
    sections = list(sections_of_options(tags))
    helped = {}
    helped[''], commands = read_help(program)
    for command in commands:
        helped[command] = read_help(program, command)[0]

    for word in sorted(commands - set(tags.get('COMMANDS', []))):
        yield f'lacks the command {word}'
    for word in sorted(set(tags.get('COMMANDS', [])) - commands):
        yield f'there is no command {word}'
    for command, options in sorted(helped.items()):
        paged = set().union(*(named for _, of, named in sections
                              if command in of or '' in of))
        if GENERIC in paged:
            paged |= properties()
        for option in sorted(options - paged):
            yield f'lacks {option} of {command}' if command else \
                f'lacks {option}'
    for heading, of, named in sections:
        for command in of:
            there = helped.get(command, set()) | {GENERIC}
            where = f' of {command}' if command else ''
            for option in sorted(named - there):
                yield f'{heading}: there is no {option}{where}'
    for option in sorted(set(LONG.findall(text)).difference(
            *helped.values(), *(named for _, _, named in sections))):
        yield f'there is no {option}'


def main():
    page, *program = sys.argv[1:]
    findings = list(differences(pathlib.Path(page), program))
    for finding in findings:
        print(f'{page}: {finding}')
    sys.exit(1 if findings else 0)


if __name__ == '__main__':
    main()
