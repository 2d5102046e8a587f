#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the structure of the sources. Prints a line for each finding; exit
status 1 if there is one. Builds nothing.

usage: scripts/check-source.py [includes] [imports] [tables] [functions]
       scripts/check-source.py options PAGE PROGRAM [ARGUMENT ...]

checks (default: all):
  includes   includes of gst/ that the layers do not allow (LAYERS), and
             circular includes, between files, where a.c, a.h and aprivate.h
             count as one file, or between folders, where each file directly in
             gst/ counts as a folder, and gst/statistics as one. Its files that
             link without OpenCL (gstcl*) include no others, and the others no
             file of gst/statistics/series. The measurement of
             clframesum must not include the files of its folder that publish
             results.
  imports    circular imports of tools/clqc/clqc, between modules and between
             packages, where each module directly in clqc/ counts as a package.
             Imports within functions count, too.
  tables     lines of ops, statistics and elements outside the tables of the ops
             that decide which implementation of an op runs: lines that read or
             call a row's conditions, walk a table, or read the family of a
             device. The two files that walk the tables are exempt.
  functions  functions of gst/ that nothing in gst/ calls, except public ones
             (gst-libs/gstopencl.map).
  options    options and commands that only a manual page or only the help of
             its program has. The options of a page are the tags of its sections
             "OPTIONS", "OPTIONS OF A, B AND C" (A, B and C are commands that
             have all of them) and "OTHER OPTIONS". A tag --PROPERTY=VALUE
             stands for the thresholds and durations among the properties of
             clframesum. Each option in other sections, such as the synopsis or
             an example, must be one of these options.
"""

import ast
import importlib.util
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)

# --- includes -----------------------------------------------------------------

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

# The layers (folders of gst/), and the layers that each may include.
LAYERS = {
    'common': [],
    'output': ['common'],
    'cl': ['common'],
    'ops': ['cl', 'common'],
    'statistics': ['ops', 'cl', 'common'],
    'elements': ['statistics', 'ops', 'cl', 'output', 'common'],
    'compiler': ['statistics', 'ops', 'cl', 'common'],
    'plugin.c': ['elements'],
}

STATISTICS = ROOT / 'gst/statistics'
SERIES = STATISTICS / 'series'

# The measurement, and the files of these folders, and files of gst/statistics
# without OpenCL, that it may include, directly or indirectly: no file about
# events, pooled results, messages or files.
MEASUREMENT = 'gst/elements/framesum/gstclmeasurement'
FOLDERS_OF_RESULTS = ('gst/elements/framesum', 'gst/output')
INCLUDED_BY_MEASUREMENT = {
    'gst/elements/framesum/gstcldistribution',
    'gst/elements/framesum/gstclframesumsettings',
    'gst/elements/framesum/gstclmomentstrips',
    'gst/elements/framesum/gstclpicture',
    'gst/elements/framesum/gstclstatistics',
    'gst/elements/framesum/gstclsummary',
    'gst/statistics/cells/gstclcells',
    'gst/statistics/flash/gstclflash',
    'gst/statistics/flash/gstclflashcounts',
    'gst/statistics/gstclstatistictable',
    'gst/statistics/light/gstcllight',
    'gst/statistics/light/gstcllightcounts',
    'gst/statistics/profiles/gstclprofile',
    'gst/statistics/series/gstcleventsettings',
    'gst/statistics/series/gstclframetime',
}


def find_included(path, name):
    """Returns the file of gst/ that `#include "name"` in `path` includes, or
    None."""
    for folder in (path.parent, ROOT / 'gst'):
        candidate = (folder / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(ROOT / 'gst'):
            return candidate
    return None


def stem(path):
    """Returns the folder and the name that a file and its headers have in
    common."""
    name = path.stem.removesuffix('private')
    return str((path.parent / name).relative_to(ROOT))


def folder_of(path):
    """Returns the folder of a file; the file itself if it is directly in
    gst/."""
    if path.parent == ROOT / 'gst':
        return stem(path)
    if path.is_relative_to(STATISTICS):
        return str(STATISTICS.relative_to(ROOT))
    return str(path.parent.relative_to(ROOT))


def read_includes():
    """Yields pairs of files of gst/: a file, and a file that it includes."""
    for path in sorted((ROOT / 'gst').rglob('*.[ch]')):
        for name in INCLUDE.findall(path.read_text(encoding='utf-8')):
            included = find_included(path, name)
            if included is not None:
                yield path, included


def graphs_of(pairs, *names):
    """Returns a graph for each function of `names`, which names the node of a
    file or module; `pairs` has the edges. No node leads to itself."""
    graphs = [{} for _ in names]
    for source, target in pairs:
        for graph, name in zip(graphs, names):
            if name(source) != name(target):
                graph.setdefault(name(source), set()).add(name(target))
    return graphs


def read_graphs():
    """Returns the graphs of includes between files and between folders."""
    return graphs_of(read_includes(), stem, folder_of)


def is_plain(path):
    """Returns whether a file of gst/statistics links without OpenCL."""
    return path.is_relative_to(STATISTICS) and path.name.startswith('gstcl')


def layer(path):
    """Returns the layer of a file: a folder of gst/, or a file in gst/."""
    return path.relative_to(ROOT / 'gst').parts[0]


def check_layers():
    """Returns the includes that LAYERS does not allow, and those of other
    elements than the base."""
    findings = []
    for path, included in read_includes():
        own, other = layer(path), layer(included)
        if is_plain(path):
            is_allowed = is_plain(included) or other == 'common'
        elif own == 'statistics' == other:
            is_allowed = included.parent != SERIES
        elif own != other:
            is_allowed = other in LAYERS.get(own, ())
        elif own == 'elements':
            is_allowed = included.parent in (path.parent,
                                             ROOT / 'gst/elements/base')
        else:
            is_allowed = True
        if not is_allowed:
            findings.append(f'{path.relative_to(ROOT)} includes '
                            f'{included.relative_to(ROOT)}, which its '
                            'layer must not include')
    return findings


def check_measurement():
    """Returns the chains of includes from the measurement to files that it must
    not include."""
    graph = {}
    for path, included in read_includes():
        graph.setdefault(path, []).append(included)

    findings = []
    chains = [[path] for path in graph if stem(path) == MEASUREMENT]
    if not chains:
        findings.append(f'{MEASUREMENT}.c does not exist')
    findings += [f'{name} does not exist'
                 for name in sorted(INCLUDED_BY_MEASUREMENT)
                 if not list(ROOT.glob(f'{name}.[ch]'))]
    seen = set()
    for chain in chains:
        for included in graph.get(chain[-1], ()):
            if included in seen or stem(included) == MEASUREMENT:
                continue
            seen.add(included)
            chains.append(chain + [included])
            is_of_results = (is_plain(included)
                             or folder_of(included) in FOLDERS_OF_RESULTS)
            if is_of_results and stem(included) not in INCLUDED_BY_MEASUREMENT:
                names = [str(file.relative_to(ROOT)) for file in chains[-1]]
                findings.append(f'{" -> ".join(names)}: the measurement must '
                                'not include the last file')
    return findings


def find_path(graph, start, end):
    """Returns the nodes of the shortest path from start to end, or None."""
    paths = [[start]]
    seen = {start}
    for path in paths:
        for following in sorted(graph.get(path[-1], ())):
            if following == end:
                return path + [end]
            if following not in seen:
                seen.add(following)
                paths.append(path + [following])
    return None


def check_circles(what, graph):
    """Returns the circles in the graph."""
    findings = []
    reported = set()
    for node in sorted(graph):
        if node in reported:
            continue
        circle = find_path(graph, node, node)
        if circle:
            reported.update(circle)
            findings.append(f'circle of {what}: '
                            f'{" -> ".join(circle)}')
    return findings


def check_includes():
    files, folders = read_graphs()
    yield from check_layers()
    yield from check_measurement()
    yield from check_circles('files', files)
    yield from check_circles('folders', folders)


# --- imports ------------------------------------------------------------------

CLQC = ROOT / 'tools/clqc'


def read_imports():
    """Yields pairs of modules of clqc: a module, and one that it imports."""
    modules = {'.'.join(path.relative_to(CLQC).with_suffix('').parts
                        ).removesuffix('.__init__'): path
               for path in sorted((CLQC / 'clqc').rglob('*.py'))}
    for name, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            imported = []
            if isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                package = name if path.stem == '__init__' else (
                    name.rpartition('.')[0])
                module = importlib.util.resolve_name(
                    '.' * node.level + (node.module or ''), package)
                imported = [f'{module}.{alias.name}'
                            if f'{module}.{alias.name}' in modules else module
                            for alias in node.names]
            yield from ((name, other) for other in imported
                        if other in modules)


def package_of(module):
    package = module.rpartition('.')[0]
    return module if package in ('', 'clqc') else package


def check_imports():
    modules, packages = graphs_of(read_imports(), str, package_of)
    if not modules:
        yield f'{CLQC}/clqc has no imports'
    yield from check_circles('modules', modules)
    yield from check_circles('packages', packages)


# --- tables -------------------------------------------------------------------

OPS = ROOT / 'gst/ops'
IMPLEMENTATION = OPS / 'implementation.c'
CHOOSE = OPS / 'choose.c'

TABLE = re.compile(r'^static const GstClImplementation \w+\[', re.MULTILINE)
CONDITION = r'(?:supports|is_preferred|is_candidate)'
# A field that is read; `.supports = ` in a row sets it.
READ_FIELD = re.compile(rf'(?:->|\.){CONDITION}\b(?!\s*=[^=])')
NAMED_CONDITION = re.compile(rf'\.{CONDITION}\s*=\s*(gst_cl_\w+)')
# A condition of a row's functions, which the row's supports() calls.
READ_COMPUTES = re.compile(r'(?:->|\.)computes\b(?!\s*=[^=])')
WALK = re.compile(r'\bgst_cl_op_table_(?:first|candidates)\b')
FAMILY = re.compile(r'\bdevice->family\b')


def read_sources():
    """Yields the .c files of ops, statistics and elements, and their code.
    Comments are replaced by their line ends."""
    for folder in (OPS, STATISTICS, ROOT / 'gst/elements'):
        for path in sorted(folder.rglob('*.c')):
            yield path, COMMENT.sub(lambda match: '\n' * match[0].count('\n'),
                                    path.read_text(encoding='utf-8'))


def find_lines(path, code, pattern, what):
    """Yields a finding for each match of the pattern."""
    for match in pattern.finditer(code):
        n = code.count('\n', 0, match.start()) + 1
        yield f'{path.relative_to(ROOT)}:{n}: {what} outside the tables of ops'


def check_tables():
    """Yields the lines outside the tables that decide which implementation
    runs."""
    sources = dict(read_sources())
    tables = {path for path, code in sources.items() if TABLE.search(code)}
    names = {name for path in tables
             for name in NAMED_CONDITION.findall(sources[path])}
    # calls of the conditions; definitions begin a line
    condition = re.compile(rf'(?<!\n)\b(?:{"|".join(sorted(names))}) \(')

    for path, code in sources.items():
        if path != IMPLEMENTATION:
            yield from find_lines(path, code, READ_FIELD,
                                  "reads a row's condition")
        if (path not in (IMPLEMENTATION, CHOOSE)
                and not path.stem.endswith('prebuild')):
            yield from find_lines(path, code, WALK, 'walks a table')
        if path not in tables:
            yield from find_lines(path, code, condition,
                                  'calls a condition of a table')
        if path not in tables:
            yield from find_lines(path, code, READ_COMPUTES,
                                  'reads a condition of a row')
        if path not in tables | {IMPLEMENTATION}:
            yield from find_lines(path, code, FAMILY,
                                  'reads the family of a device')
    if not tables:
        yield 'gst/ops has no table of implementations'


# --- functions ----------------------------------------------------------------

FUNCTION = re.compile(r'^(?P<type>[A-Za-z][\w *]*)\n(?P<name>[a-z]\w*) '
                      r'\([^;{}]*\)\n\{.*?^\}', re.DOTALL | re.MULTILINE)
PROTOTYPE = re.compile(r'^[A-Za-z][\w *]*?\b\w+ \((?:[^;{}()]|\([^;{}()]*\))*\)'
                       r'(?:\s*G_GNUC_\w+(?: \([^)]*\))?)*;', re.MULTILINE)
# A type, and the function that frees or clears it.
CLEANUP = re.compile(r'^G_DEFINE_AUTO(?:PTR)?_CLEANUP(?:_CLEAR|_FREE)?_FUNC '
                     r'\((\w+),\s*(\w+)[^)]*\)', re.MULTILINE)
# The public functions of the library are those that its map names in full.
PUBLIC = re.compile(r'^ +(gst_\w+);', re.MULTILINE)
CLEANED_UP = re.compile(r'\bg_auto(?:ptr)? \((\w+)\)')


def count_words(codes):
    counts = {}
    for code in codes:
        for word in re.findall(r'\w+', code):
            counts[word] = counts.get(word, 0) + 1
    return counts


def check_functions():
    """Yields the functions that no other function uses, then those that only
    unused functions use."""
    texts = {path: COMMENT.sub(' ', path.read_text(encoding='utf-8'))
             for path in sorted((ROOT / 'gst').rglob('*.[ch]'))}
    codes = {path: PROTOTYPE.sub('', CLEANUP.sub('', text))
             for path, text in texts.items()}
    cleanups = {function: type_name for text in texts.values()
                for type_name, function in CLEANUP.findall(text)}
    public = set(PUBLIC.findall(
        (ROOT / 'gst-libs/gstopencl.map').read_text(encoding='utf-8')))
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
                  and name not in public | {'main'}
                  and cleanups.get(name) not in cleaned_up]
        for name in sorted(unused):
            path, body = functions.pop(name)
            codes[path] = codes[path].replace(body, '')
            yield f'{path.relative_to(ROOT)}: nothing in gst/ calls {name}()'
    if not functions:
        yield 'gst/ has no functions'


# --- options ------------------------------------------------------------------

OPTION = re.compile(r'(?<![\w-])(?:--[a-zA-Z][\w-]*|-[a-zA-Z])(?![\w-])')
WORD = re.compile(r'"([^"]*)"|(\S+)')  # an argument of a groff macro
GENERIC = '--PROPERTY'
LONG = re.compile(r'(?<![\w-])--[a-z][\w-]*')


def read_page(path):
    """Returns the text, and the tags of each section by its heading."""
    text = path.read_text().replace('\\-', '-')
    text = re.sub(r'\\f[A-Z]|^\.\\".*\n', '', text, flags=re.MULTILINE)
    tags, heading, is_tag = {}, '', False
    for line in text.split('\n'):
        macro, _, rest = line.partition(' ')
        if macro == '.SH':
            heading = rest
        elif is_tag and macro in ('.B', '.I'):
            tags.setdefault(heading, []).append(rest)
        elif is_tag:  # macros of two fonts join their arguments
            tags.setdefault(heading, []).append(''.join(
                first or second for first, second in WORD.findall(rest)))
        is_tag = macro == '.TP'
    return text, tags


def sections_of_options(tags):
    """Yields heading, commands and options of each section; the command '' is
    the program without a command."""
    for heading, lines in tags.items():
        match = re.fullmatch(r'(?:OTHER )?OPTIONS(?: OF (.*))?', heading)
        if match:
            commands = re.split(r', | and ', (match[1] or '').lower())
            yield heading, commands, {
                option for line in lines for option in OPTION.findall(line)}


def read_help(program, *commands):
    """Returns the options and the commands that the help lists."""
    process = subprocess.run([*program, *commands, '--help'], text=True,
                             stdout=subprocess.PIPE, check=False)
    if process.returncode:
        sys.exit(f'{" ".join(process.args)}: exit status {process.returncode}')
    options = set()
    for line in process.stdout.split('\n'):
        if re.match(r' +-', line):  # descriptions have their own column
            options.update(OPTION.findall(re.split(r' {2,}', line.strip())[0]))
    braces = re.search(r'\{([a-z0-9,-]+)\}', process.stdout)
    return options, set(braces[1].split(',') if braces else [])


def properties():
    """Returns the options of the thresholds and durations of clframesum, by
    their documentation."""
    return {f'--{name}' for path in STATISTICS.rglob('*.c')
            for name in re.findall(r'\* GstClFrameSum:([\w-]+):',
                                   path.read_text())}


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
        yield f'the program has no command {word}'
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
                yield f'{heading}: the program has no {option}{where}'
    for option in sorted(set(LONG.findall(text)).difference(
            *helped.values(), *(named for _, _, named in sections))):
        yield f'the program has no {option}'


def check_options(page, *program):
    """Yields the differences of a page and the help of its program."""
    for difference in find_differences(pathlib.Path(page), program):
        yield f'{page}: {difference}'


# ------------------------------------------------------------------------------

CHECKS = {
    'includes': check_includes,
    'imports': check_imports,
    'tables': check_tables,
    'functions': check_functions,
}


def main():
    names = sys.argv[1:] or list(CHECKS)
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
