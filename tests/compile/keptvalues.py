#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Values of local memory that kernels keep across a barrier without READ_ONCE.

PoCL 7.0 and 7.1 load such a value again where it is used, and get what was
written since (docs/devices.md). They do so with values that can be recomputed
from loads that are not volatile: without function calls except those for the
work-item's id, and without selections between branches. This script follows
such values through clang's code of a kernel, and beyond PoCL's rule through
private arrays, which PoCL may have split. It does not check whether anyone
writes there again.

usage: keptvalues.py CLANG OPTION .. FILE    as for -emit-llvm, without -o
Prints each such load, by function and line; the exit status is then 1.
"""
import collections
import re
import subprocess
import sys

NAME = r'%(?:"[^"]+"|[\w.$-]+)'
BARRIER = re.compile(
    r'@_Z(7barrier|18work_group_barrier|17wait_group_events)')
# A load of local memory that a compiler may repeat.
LOAD = re.compile(
    r'load (?!volatile).*?, (ptr addrspace\(3\)|.*addrspace\(3\)\*)'
    r'|call .*@_Z\d+vload\d+mPU3AS3')
ADDRESSES = 'getelementptr', 'bitcast', 'addrspacecast'
# Instructions that end a recomputable value.
ENDS = 'phi', 'call', 'store', 'br', 'switch', 'ret', 'cmpxchg', 'atomicrmw'

# PoCL sees a kernel with all functions inlined. Vectorized loops would hide
# the relations between values.
OPTIONS = ['-DPOCL_DEVICE_ADDRESS_BITS=64', '-O2', '-gline-tables-only',
           '-fno-vectorize', '-fno-slp-vectorize',
           '-Dinline=inline __attribute__((always_inline))']


class Instruction:
    """A line of a function: the value that it defines, its operands, its
    block."""

    def __init__(self, text, block, index):
        name = re.match(rf'({NAME}) = ', text)
        self.text, self.block, self.index = text, block, index
        self.name = name and name.group(1)
        self.body = re.sub(r'^(tail|musttail|notail) ', '',
                           text[name.end():] if name else text)
        self.code = self.body.split()[0]
        self.incoming = dict(re.findall(rf'\[ ([^,]+), ({NAME}) \]', self.body)
                             ) if self.code == 'phi' else {}
        plain = re.sub(r', !\w.*|%(struct|union)\.[\w.]+', '', self.body)
        self.operands = ([] if self.code == 'phi' else re.findall(NAME, plain))

    def is_barrier(self):
        return self.code == 'call' and BARRIER.search(self.body)

    def reads_local(self):
        return LOAD.match(self.body)


class Kernel:
    def __init__(self, lines):
        self.blocks = collections.OrderedDict(entry=[])
        label = 'entry'
        for line in lines:
            start = re.match(r'("[^"]+"|[\w.$-]+):', line)
            if start:
                label = '%' + start.group(1)
                self.blocks[label] = []
            else:
                body = self.blocks[label]
                body.append(Instruction(line, label, len(body)))
        self.blocks = {k: body for k, body in self.blocks.items() if body}
        self.all = [x for body in self.blocks.values() for x in body]
        self.definitions = {x.name: x for x in self.all if x.name}
        self.uses = collections.defaultdict(list)
        for x in self.all:
            for name in x.operands:
                self.uses[name].append(x)
            # the operands of a phi are used at the end of the preceding blocks
            for name, block in x.incoming.items():
                self.uses[name].append(self.end_of(block))

    def end_of(self, block):
        """Returns the last line of a block; the entry has no name."""
        return self.blocks.get(block, next(iter(self.blocks.values())))[-1]

    def variable(self, name):
        """Returns the private variable that @name points into, or None."""
        x = self.definitions.get(name)
        while x and x.code in ADDRESSES and x.operands:
            x = self.definitions.get(x.operands[0])
        return x if x and x.code == 'alloca' else None

    def is_kept(self, start, uses):
        """Returns whether a path from @start reaches one of @uses after a
        barrier, without passing @start again."""
        seen, paths = set(), [(start.block, start.index + 1, False)]
        while paths:
            block, index, is_behind = paths.pop()
            for x in self.blocks[block][index:]:
                if x is start:
                    break
                if is_behind and x in uses:
                    return True
                is_behind = is_behind or bool(x.is_barrier())
            else:
                for label in x.operands if x.code in ('br', 'switch') else []:
                    if label in self.blocks and (label, is_behind) not in seen:
                        seen.add((label, is_behind))
                        paths.append((label, 0, is_behind))
        return False

    def values_of(self, load):
        """Returns all values that can be recomputed from @load."""
        found, new = {load}, [load]
        while new:
            for x in self.uses[new.pop().name]:
                if (x not in found and x.code not in ENDS and
                        ' volatile ' not in x.body):
                    found.add(x)
                    new.append(x)
        return found

    def reads_of(self, variable):
        return [x for x in self.all if x.code == 'load' and
                any(self.variable(name) is variable for name in x.operands)]

    def keeps(self, value):
        uses = self.uses[value.name]
        if self.is_kept(value, set(uses)):
            return True
        for x in uses:
            if x.code == 'store' and value.name in x.body.split(', ')[0]:
                variable = self.variable(x.operands[-1])
                if variable and self.is_kept(x, set(self.reads_of(variable))):
                    return True
        return False

    def kept_loads(self):
        return [load for load in self.all if load.reads_local() and
                any(self.keeps(value) for value in self.values_of(load))]


def functions(code):
    """Yields the header and lines of each function."""
    for header, body in re.findall(r'^(define .*)\n((?:.*\n)*?)}$', code, re.M):
        body = re.sub(r'\[\n((?:.*\n)*?) *\]', lambda m: '[ ' + ' '.join(
            m.group(1).split()) + ' ]', body)  # a switch has several lines
        lines = [re.sub(r' *; preds.*', '', line).strip()
                 for line in body.splitlines()]
        yield header, [x for x in lines if x and not x.startswith(';')]


def place_of(load, code):
    """Returns function:line of a load, and of the calls that inlined it."""
    nodes = dict(re.findall(r'^!(\d+) = (.*)$', code, re.M))
    places, at = [], re.search(r'!dbg !(\d+)', load.text)
    while at:
        node = nodes[at.group(1)]
        scope = node
        while 'DISubprogram' not in scope:
            scope = nodes[re.search(r'scope: !(\d+)', scope).group(1)]
        places.append('%s:%s' % (re.search(r'name: "(\w+)"', scope).group(1),
                                 re.search(r'line: (\d+)', node).group(1)))
        at = re.search(r'inlinedAt: !(\d+)', node)
    return ', called by '.join(places)


def findings(code):
    """Returns the faults in the kernels of an LLVM module, one line each, and
    the number of kernels with barriers."""
    found, kernels = [], set()
    for header, lines in functions(code):
        if not any(BARRIER.search(line) for line in lines):
            continue
        # with newer clangs, the body of a kernel is a function, too
        name = re.search(r'@(__clang_ocl_kern_imp_)?(\w+)', header)
        if 'spir_kernel' not in header and not name.group(1):
            found.append('%s: not inlined' % name.group(2))
            continue
        kernels.add(name.group(2))
        found += [place_of(load, code) for load in Kernel(lines).kept_loads()]
    return list(dict.fromkeys(found)), len(kernels)


def module_of(clang, options):
    return subprocess.run([clang, *OPTIONS, *options, '-S', '-emit-llvm', '-o',
                           '-'], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def main():
    found, n_kernels = findings(module_of(sys.argv[1], sys.argv[2:]))
    for line in found:
        print('kept across a barrier, without READ_ONCE:', line)
    print(n_kernels, 'kernels with barriers')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
