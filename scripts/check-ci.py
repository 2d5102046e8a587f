#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what is wrong with the files that forges read, as far as that shows
without a forge, and then fails; silent when all is well.

Both files of continuous integration have the same jobs, of the same images and
commands, which call scripts that are there and read the variables that are
set. docs/testing.md says of each job how it was
tried. Forms of issues are such as GitHub takes, and GitLab has the same ones.
"""
import os
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
GITLAB = '.gitlab-ci.yml'
GITHUB = '.github/workflows/ci.yml'
# What a job may do beside calling a script: have one more package.
PREPARES = re.compile(r'(apt-get (update|install)|git config|dnf) ')
ELEMENTS = {'markdown', 'textarea', 'input', 'dropdown', 'checkboxes'}


def load(name):
    return yaml.safe_load((ROOT / name).read_text())


def lines(part):
    return part.split('\n') if isinstance(part, str) else part


def plain(commands):
    """Those that call scripts, with the one way to write a variable."""
    commands = [re.sub(r'\$\{\{ *matrix\.(\w+) *}}|\$(\w+)',
                       lambda match: '$' + match[match.lastindex].lower(),
                       command) for command in commands]
    return [command for command in commands
            if not PREPARES.match(command + ' ')]


def matrix(job, key):
    """The values of a matrix, by the names of variables in small letters."""
    values = job.get(key, {}).get('matrix', {})
    if isinstance(values, list):
        values, = values
    return {name.lower(): [str(value) for value in several]
            for name, several in values.items()}


def gitlab_jobs():
    file = load(GITLAB)
    for name, job in file.items():
        if name == 'image' or name.startswith('.'):
            continue
        job = file.get(job.get('extends'), {}) | job
        yield name, {
            'commands': plain(lines(job.get('before_script', [])) +
                              lines(job['script'])),
            'matrix': matrix(job, 'parallel'),
            'variables': {key: str(value) for key, value
                          in job.get('variables', {}).items()},
            'image': job.get('image', file['image']),
            'root folders': 'privileged' in job.get('tags', [])}


def step_lines(step):
    run = step.get('run', '').replace(' && ', '\n').split('\n')
    return [line for line in run if line.strip()]


def github_jobs():
    file = load(GITHUB)
    for name, job in file['jobs'].items():
        container = job['container']
        if isinstance(container, str):
            container = {'image': container}
        commands, variables = [], file.get('env', {}) | job.get('env', {})
        for step in job['steps']:
            commands += step_lines(step)
            variables |= step.get('env', {})
        yield name, {
            'commands': plain(commands),
            'matrix': matrix(job, 'strategy'),
            'variables': {key: str(value) for key, value
                          in variables.items()},
            'image': container['image'],
            'root folders': '--privileged' in container.get('options', '')}


def check_jobs():
    gitlab, github = dict(gitlab_jobs()), dict(github_jobs())
    for name in sorted(gitlab.keys() | github.keys()):
        if gitlab.get(name) != github.get(name):
            yield f'{name}: {GITLAB} says {gitlab.get(name)}, ' \
                f'{GITHUB} says {github.get(name)}'
    page = (ROOT / 'docs/testing.md').read_text()
    table = ''.join(line for line in page.split('\n')
                    if line.startswith('| `'))
    for name, job in gitlab.items():
        if f'`{name}`' not in table:
            yield f'docs/testing.md: nothing of the job {name}'
        for command in job['commands']:
            yield from check_command(f'{name}: {command}', command)
        yield from check_matrix(name, job['matrix'], job['commands'])
        yield from check_variables(name, job['variables'], job['commands'])
    for name, job in load(GITHUB)['jobs'].items():
        for step in job['steps']:
            yield from check_variables(f'{GITHUB}: {name}',
                                       step.get('env', {}), step_lines(step))


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
        if not re.search(read, scripts) and \
                not re.search(read, '\n'.join(commands), re.IGNORECASE):
            yield f'{where}: nothing reads the variable {variable}'


def check_matrix(where, names, commands):
    """A forge's own way to write such a variable is in a command alone."""
    for name in names:
        if not re.search(rf'\${name}\b', '\n'.join(commands)):
            yield f'{where}: no command has the variable {name}'


def check_hooks():
    for repository in load('.pre-commit-config.yaml')['repos']:
        for hook in repository['hooks']:
            yield from check_command(f'hook {hook["id"]}', hook['entry'])


def check_forms():
    """As GitHub describes the syntax of its forms."""
    folder = '.github/ISSUE_TEMPLATE'
    for name in sorted(os.listdir(ROOT / folder)):
        if name == 'config.yml':
            continue
        form = load(f'{folder}/{name}')
        where = f'{folder}/{name}'
        for key in 'name', 'description', 'body':
            if not form.get(key):
                yield f'{where}: no {key}'
        names = [element['id'] for element in form['body']
                 if 'id' in element]
        if len(set(names)) < len(names):
            yield f'{where}: two elements of one id'
        if all(element['type'] == 'markdown' for element in form['body']):
            yield f'{where}: nothing to fill in'
        for element in form['body']:
            attributes = element.get('attributes', {})
            needed = 'value' if element['type'] == 'markdown' else 'label'
            if element['type'] not in ELEMENTS or not attributes.get(needed):
                yield f'{where}: what is {element}?'
        twin = ROOT / '.gitlab/issue_templates' / \
            name.replace('.yml', '.md')
        if not twin.exists():
            yield f'{where}: there is no {twin.relative_to(ROOT)}'


def main():
    findings = [*check_jobs(), *check_hooks(), *check_forms()]
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)


if __name__ == '__main__':
    main()
