#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what is wrong with the structure of the sources, a line each, and then
fails; silent when all is well. It builds nothing.

usage: scripts/check-source.py [includes] [tables] [functions] [jobs]
       scripts/check-source.py options PAGE PROGRAM [ARGUMENT ...]

checks (default: the first three):
  includes   includes of gst/ against the arrows, circles of includes, and
             folders of gst/ and kernels/ that hold too many files. Two circles
             are looked for: between files, where a.c, a.h and aprivate.h are
             one, and between rooms, which are the folders. A file in gst/
             itself is a room of its own. The measurement of clframesum has
             arrows within its room too: it returns numbers, and knows nothing
             about what becomes of them.
  tables     lines of gst/ops and gst/elements that decide which implementation
             of an op runs, beside the tables of the ops and the two files that
             walk them: that ask a row's conditions, walk a table, call a
             condition of another file's table, or ask for the family of a
             device.
  functions  functions of gst/ that nothing in gst/ calls.
  jobs       jobs of .gitlab-ci.yml, and hooks of .pre-commit-config.yaml, that
             call no script or one that is not there, jobs that set a variable
             that no command or script reads, and jobs that docs/testing.md does
             not have.
  options    options and commands by which a manual page and the help of its
             program differ. Options of a page are the tags of its sections
             "OPTIONS", "OPTIONS OF A, B AND C", which are commands that have
             all of them, and "OTHER OPTIONS". A tag --PROPERTY=VALUE stands for
             the thresholds and durations among the properties of clframesum.
             What a page names elsewhere, in its synopsis or an example, has to
             be an option, too.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)

# --- includes -----------------------------------------------------------------

MAX_FILES = 20
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

# What the floors may include, beside themselves.
ARROWS = {
    'common': [],
    'series': ['common'],
    'output': ['common'],
    'cl': ['common'],
    'ops': ['cl', 'common'],
    'elements': ['ops', 'cl', 'series', 'output', 'common'],
    'plugin.c': ['elements'],
}

# An element that is made of another.
MADE_OF = {
    'gst/elements/framesumbatch': 'gst/elements/framesum',
}

# The measurement, and what it may know, itself or by a header that it includes,
# of its room and of the floors that results go to: neither events nor pooled
# results, messages or files.
MEASUREMENT = 'gst/elements/framesum/gstclmeasurement'
ROOMS_OF_RESULTS = ('gst/elements/framesum', 'gst/series', 'gst/output')
KNOWN_TO_MEASUREMENT = {
    'gst/elements/framesum/gstclframesumsettings',
    'gst/elements/framesum/gstclgamut',
    'gst/elements/framesum/gstclregions',
    'gst/elements/framesum/gstclstatistics',
    'gst/elements/framesum/gstclstatistictable',
    'gst/elements/framesum/gstclsummary',
    'gst/series/gstcleventsettings',
    'gst/series/gstclframetime',
}


def find_included(path, name):
    """The file of gst/ that `name` in `path` is, or None."""
    for folder in (path.parent, ROOT / 'gst'):
        candidate = (folder / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(ROOT / 'gst'):
            return candidate
    return None


def stem(path):
    """What a file and its headers share: folder and name."""
    name = path.stem.removesuffix('private')
    return str((path.parent / name).relative_to(ROOT))


def room(path):
    """The folder of a file, or a file of gst/ itself."""
    if path.parent == ROOT / 'gst':
        return stem(path)
    return str(path.parent.relative_to(ROOT))


def read_includes():
    """Each file of gst/ with each file of gst/ that it includes."""
    for path in sorted((ROOT / 'gst').rglob('*.[ch]')):
        for name in INCLUDE.findall(path.read_text(encoding='utf-8')):
            included = find_included(path, name)
            if included is not None:
                yield path, included


def read_graphs():
    """Who includes whom, by stem and by room."""
    files, rooms = {}, {}
    for path, included in read_includes():
        for graph, node in ((files, stem), (rooms, room)):
            if node(path) != node(included):
                graph.setdefault(node(path), set()).add(node(included))
    return files, rooms


def floor(path):
    """The floor of the house that a file lies on: a folder of gst/."""
    return path.relative_to(ROOT / 'gst').parts[0]


def check_arrows():
    """Includes of a floor that the file's own may not include, or of another
    element, of which only the base is for all."""
    findings = []
    for path, included in read_includes():
        own, other = floor(path), floor(included)
        if own != other:
            is_allowed = other in ARROWS.get(own, ())
        elif own == 'elements':
            is_allowed = (included.parent in (path.parent,
                                              ROOT / 'gst/elements/base')
                          or MADE_OF.get(room(path)) == room(included))
        else:
            is_allowed = True
        if not is_allowed:
            findings.append(f'{path.relative_to(ROOT)} includes '
                            f'{included.relative_to(ROOT)}: against the '
                            'arrows')
    return findings


def check_measurement():
    """What the measurement must not know: each file with the includes that lead
    there."""
    graph = {}
    for path, included in read_includes():
        graph.setdefault(path, []).append(included)

    findings = []
    ways = [[path] for path in graph if stem(path) == MEASUREMENT]
    if not ways:
        findings.append(f'{MEASUREMENT}.c is not there')
    seen = set()
    for way in ways:
        for included in graph.get(way[-1], ()):
            if included in seen or stem(included) == MEASUREMENT:
                continue
            seen.add(included)
            ways.append(way + [included])
            if (room(included) in ROOMS_OF_RESULTS
                    and stem(included) not in KNOWN_TO_MEASUREMENT):
                names = [str(file.relative_to(ROOT)) for file in ways[-1]]
                findings.append(f'{" -> ".join(names)}: the measurement knows '
                                'what becomes of its numbers')
    return findings


def find_path(graph, start, end):
    """The shortest way from start to end, both named, or None."""
    ways = [[start]]
    seen = {start}
    for way in ways:
        for following in sorted(graph.get(way[-1], ())):
            if following == end:
                return way + [end]
            if following not in seen:
                seen.add(following)
                ways.append(way + [following])
    return None


def check_circles(what, graph):
    """What is wrong with the graph: a line each."""
    findings = []
    reported = set()
    for node in sorted(graph):
        if node in reported:
            continue
        circle = find_path(graph, node, node)
        if circle:
            reported.update(circle)
            findings.append(f'circle of {what}: {" -> ".join(circle)}')
    return findings


def check_folders():
    """Folders with more files than a reader takes in."""
    findings = []
    for top, endings in (('gst', {'.c'}), ('kernels', {'.cl', '.clh'})):
        folders = [ROOT / top]
        folders += [p for p in (ROOT / top).rglob('*') if p.is_dir()]
        for folder in sorted(folders):
            n = sum(1 for p in folder.iterdir() if p.suffix in endings)
            if n > MAX_FILES:
                findings.append(f'{folder.relative_to(ROOT)}: {n} files, more '
                                f'than {MAX_FILES}')
    return findings


def check_includes():
    files, rooms = read_graphs()
    yield from check_arrows()
    yield from check_measurement()
    yield from check_circles('files', files)
    yield from check_circles('rooms', rooms)
    yield from check_folders()


# --- tables -------------------------------------------------------------------

OPS = ROOT / 'gst/ops'
IMPLEMENTATION = OPS / 'implementation.c'
CHOOSE = OPS / 'choose.c'

TABLE = re.compile(r'^static const GstClImplementation \w+\[', re.MULTILINE)
CONDITION = r'(?:supports|suits|is_candidate)'
# A field that is read; `.supports = ` in a row sets it.
READ_FIELD = re.compile(rf'(?:->|\.){CONDITION}\b(?!\s*=[^=])')
NAMED_CONDITION = re.compile(rf'\.{CONDITION}\s*=\s*(gst_cl_\w+)')
# What a row's functions take, which supports() asks.
READ_FITS = re.compile(r'(?:->|\.)fits\b(?!\s*=[^=])')
WALK = re.compile(r'\bgst_cl_op_table_(?:first|candidates)\b')
FAMILY = re.compile(r'\bdevice->family\b')


def read_sources():
    """The .c files of ops and elements, and their code: what stands in
    comments is left out, but for the ends of its lines."""
    for folder in (OPS, ROOT / 'gst/elements'):
        for path in sorted(folder.rglob('*.c')):
            yield path, COMMENT.sub(lambda match: '\n' * match[0].count('\n'),
                                    path.read_text(encoding='utf-8'))


def find_lines(path, code, pattern, what):
    """A finding for each place in the code that fits."""
    for match in pattern.finditer(code):
        n = code.count('\n', 0, match.start()) + 1
        yield f'{path.relative_to(ROOT)}:{n}: {what}, beside the tables of ops'


def check_tables():
    """Lines that decide which implementation runs, beside the tables."""
    sources = dict(read_sources())
    tables = {path for path, code in sources.items() if TABLE.search(code)}
    names = {name for path in tables
             for name in NAMED_CONDITION.findall(sources[path])}
    # its definition begins a line
    condition = re.compile(rf'(?<!\n)\b(?:{"|".join(sorted(names))}) \(')

    for path, code in sources.items():
        if path != IMPLEMENTATION:
            yield from find_lines(path, code, READ_FIELD,
                                  "asks a row's condition")
        if (path not in (IMPLEMENTATION, CHOOSE)
                and not path.stem.endswith('prebuild')):
            yield from find_lines(path, code, WALK, 'walks a table')
        if path not in tables:
            yield from find_lines(path, code, condition,
                                  'calls a condition of a table')
        if path not in tables:
            yield from find_lines(path, code, READ_FITS,
                                  'asks what a row takes')
        if path not in tables | {IMPLEMENTATION}:
            yield from find_lines(path, code, FAMILY,
                                  'asks for the family of a device')
    if not tables:
        yield 'gst/ops has no table of implementations'


# --- functions ----------------------------------------------------------------

FUNCTION = re.compile(r'^(?P<type>[A-Za-z][\w *]*)\n(?P<name>[a-z]\w*) '
                      r'\([^;{}]*\)\n\{.*?^\}', re.DOTALL | re.MULTILINE)
PROTOTYPE = re.compile(r'^[A-Za-z][\w *]*?\b\w+ \((?:[^;{}()]|\([^;{}()]*\))*\)'
                       r'(?:\s*G_GNUC_\w+(?: \([^)]*\))?)*;', re.MULTILINE)
# The type, and the function that frees or clears it.
CLEANUP = re.compile(r'^G_DEFINE_AUTO(?:PTR)?_CLEANUP(?:_CLEAR|_FREE)?_FUNC '
                     r'\((\w+),\s*(\w+)[^)]*\)', re.MULTILINE)
CLEANED_UP = re.compile(r'\bg_auto(?:ptr)? \((\w+)\)')


def count_words(codes):
    counts = {}
    for code in codes:
        for word in re.findall(r'\w+', code):
            counts[word] = counts.get(word, 0) + 1
    return counts


def check_functions():
    """Functions without a use but their own; then those that only they use."""
    texts = {path: COMMENT.sub(' ', path.read_text(encoding='utf-8'))
             for path in sorted((ROOT / 'gst').rglob('*.[ch]'))}
    codes = {path: PROTOTYPE.sub('', CLEANUP.sub('', text))
             for path, text in texts.items()}
    cleanups = {function: type_name for text in texts.values()
                for type_name, function in CLEANUP.findall(text)}
    functions = {match['name']: (path, match[0])
                 for path, code in codes.items() if path.suffix == '.c'
                 for match in FUNCTION.finditer(code)
                 if 'static' not in match['type']}
    unused = True
    while unused:
        counts = count_words(codes.values())
        cleaned_up = {name for code in codes.values()
                      for name in CLEANED_UP.findall(code)}
        unused = [name for name, (_, body) in functions.items()
                  if counts[name] == count_words([body])[name]
                  and cleanups.get(name) not in cleaned_up]
        for name in sorted(unused):
            path, body = functions.pop(name)
            codes[path] = codes[path].replace(body, '')
            yield f'{path.relative_to(ROOT)}: nothing in gst/ calls {name}()'
    if not functions:
        yield 'gst/ has no functions'


# --- jobs ---------------------------------------------------------------------

CI = '.gitlab-ci.yml'
# What a job may do beside calling a script: have one more package.
PREPARES = re.compile(r'(apt-get (update|install)|git config|dnf) ')


def load(name):
    import yaml  # for this check alone

    return yaml.safe_load((ROOT / name).read_text())


def lines(part):
    return part.split('\n') if isinstance(part, str) else part


def read_jobs():
    """From the name of a job to its commands that call scripts, and to the
    names of its variables and of those of its matrix."""
    file = load(CI)
    for name, job in file.items():
        if name == 'image' or name.startswith('.'):
            continue
        job = file.get(job.get('extends'), {}) | job
        commands = lines(job.get('before_script', [])) + lines(job['script'])
        matrix, = job.get('parallel', {}).get('matrix', [{}])
        yield name, [command for command in commands
                     if not PREPARES.match(command + ' ')], \
            list(job.get('variables', {})), list(matrix)


def check_command(where, command):
    program = ROOT / command.split()[0]
    if not re.match(r'(scripts|\.ci)/', command):
        yield f'{where}: calls no script'
    elif not os.access(program, os.X_OK):
        yield f'{where}: there is no such script'


def check_variables(where, variables, commands):
    """What is set is read by a command, or by a script that it calls: under
    another name it would leave the script with its default."""
    programs = {ROOT / command.split()[0] for command in commands}
    scripts = '\n'.join(
        line for program in programs if program.is_file()
        for line in program.read_text().split('\n')
        if not line.lstrip().startswith('#'))
    for variable in variables:
        read = rf'\$\{{?{variable}\b'
        if not re.search(read, '\n'.join([scripts, *commands])):
            yield f'{where}: nothing reads the variable {variable}'


def check_jobs():
    page = (ROOT / 'docs/testing.md').read_text()
    table = ''.join(line for line in page.split('\n')
                    if line.startswith('| `'))
    for name, commands, variables, matrix in read_jobs():
        if f'`{name}`' not in table:
            yield f'docs/testing.md: nothing of the job {name}'
        for command in commands:
            yield from check_command(f'{name}: {command}', command)
        for variable in matrix:
            if not re.search(rf'\${variable}\b', '\n'.join(commands)):
                yield f'{name}: no command has the variable {variable}'
        yield from check_variables(name, variables, commands)
    for repository in load('.pre-commit-config.yaml')['repos']:
        for hook in repository['hooks']:
            yield from check_command(f'hook {hook["id"]}', hook['entry'])


# --- options ------------------------------------------------------------------

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


def find_differences(page, program):
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


def check_options(page, *program):
    """What a page and its program differ in."""
    for difference in find_differences(pathlib.Path(page), program):
        yield f'{page}: {difference}'


# ------------------------------------------------------------------------------

CHECKS = {
    'includes': check_includes,
    'tables': check_tables,
    'functions': check_functions,
    'jobs': check_jobs,
}
DEFAULT = 'includes', 'tables', 'functions'


def main():
    names = sys.argv[1:] or DEFAULT
    if names[0] == 'options' and len(names) > 2:
        findings = list(check_options(*names[1:]))
    elif set(names) <= set(CHECKS):
        findings = [finding for name in names for finding in CHECKS[name]()]
    else:
        sys.exit(__doc__)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
