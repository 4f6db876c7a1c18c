import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { createAllSpecs } from '../src/shell/families/index.js'
import type { CommandSpec } from '../src/shell/programs/command-spec.js'
import { splitNames } from '../src/shell/programs/parse-arguments.js'
import { findProgram } from '../src/system/find-program.js'
import { testWithProgram } from '../src/testing/test-with-program.js'

/**
 * If a table is wrong about whether an option takes a value, the analysis misreads the words after it and may overlook a file.
 * So the tables are compared with the options that programs pass to `getopt`: a preloaded library records them and ends the
 * program.
 */
const RECORDER = `
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int record(const char *letters, const struct option *names) {
  int file = open(getenv("RECORD"), O_WRONLY | O_CREAT | O_EXCL, 0600);
  dprintf(file, "%s\\n", letters);
  for (; names && names->name; names++) dprintf(file, "--%s %d\\n", names->name, names->has_arg);
  _exit(0);
}
int getopt(int count, char *const words[], const char *letters) { return record(letters, 0); }
int getopt_long(int count, char *const words[], const char *letters, const struct option *names, int *index) {
  return record(letters, names);
}
`

vi.setConfig({ testTimeout: 300_000 })

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'haft-arity-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Arity = 'none' | 'required' | 'attached'
const ARITIES: readonly Arity[] = ['none', 'required', 'attached']

interface RealOptions {
  readonly options: ReadonlyMap<string, Arity>
  readonly endsAtOperand: boolean
}

testWithProgram('gcc')('every option takes a value in the table exactly if it takes one in the program', () => {
  const recorder = buildRecorder()
  const programs = createAllSpecs()
    .flat()
    .filter((spec) => spec.isOpaque !== true && spec.checker === undefined && spec.risk === undefined && hasFiles(spec))
    .flatMap((spec) => spec.names.split(' ').map((name) => ({ spec, name })))
    // A shell runs `kill` as a builtin.
    .filter(({ name }) => name !== 'kill')
  const recordedPrograms = programs.flatMap(({ spec, name }) => {
    const realOptions = recordOptions(name, recorder)
    return realOptions === undefined ? [] : [{ spec, name, real: realOptions }]
  })

  const differences = recordedPrograms.flatMap(({ spec, name, real }) =>
    findDifferences(spec, real).map((difference) => `${name} ${difference}`),
  )

  expect(recordedPrograms.length).toBeGreaterThan(60)
  expect(differences).toEqual([])
})

testWithProgram('gcc')('the comparison finds a wrong flag, a wrong value and the wrong end of options', () => {
  const realOptions = recordOptions('hexdump', buildRecorder())
  const wrongSpec = {
    names: 'hexdump',
    manual: '',
    examples: [],
    style: 'posix',
    operands: ['reads'],
    options: { flags: '-f', values: '-C' },
  } as const

  expect(realOptions).toBeDefined()
  expect(realOptions && findDifferences(wrongSpec, realOptions)).toEqual([
    '-f: none, not required',
    '-C: required, not none',
    'style',
  ])
})

function buildRecorder(): string {
  const library = join(folder, 'recorder.so')
  if (existsSync(library)) return library
  writeFileSync(join(folder, 'recorder.c'), RECORDER)
  const { status, stderr } = spawnSync('gcc', ['-shared', '-fPIC', '-o', library, join(folder, 'recorder.c')], {
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  return library
}

/** Whether a word of the program may be a file. If all words are text, their kinds make no difference. */
function hasFiles({ operands = [], operandCases = [], options, hasOnlyHarmlessOptions }: CommandSpec): boolean {
  const roles = [...operands, ...operandCases.flatMap((each) => each.operands)]
  return hasOnlyHarmlessOptions !== true || options?.roles !== undefined || roles.some((role) => role !== 'text...')
}

/** Returns what the program passes to `getopt`; undefined if it is not installed, is a script, or has its own parser. */
function recordOptions(name: string, recorder: string): RealOptions | undefined {
  const program = findProgram(name, process.env)
  if (program === undefined || !isBinary(program)) return undefined
  const record = join(folder, 'record')
  for (const words of [['-?'], ['x'], []]) {
    spawnSync(program, words, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, LD_PRELOAD: recorder, RECORD: record },
      input: '',
      timeout: 1_000,
    })
    if (!existsSync(record)) continue
    const text = readFileSync(record, 'utf8')
    rmSync(record)
    return parseRecord(text)
  }
  return undefined
}

function isBinary(path: string): boolean {
  const file = openSync(path, 'r')
  const start = Buffer.alloc(4)
  readSync(file, start, 0, 4, 0)
  closeSync(file)
  return start.toString('latin1') === '\x7fELF'
}

function parseRecord(text: string): RealOptions {
  const [letters = '', ...lines] = text.trimEnd().split('\n')
  const options = new Map<string, Arity>()
  for (const [, letter, colons = ''] of letters.replace(/^[+-]?:?/, '').matchAll(/([^:])(:{0,2})/g)) {
    if (!options.has(`-${letter}`)) options.set(`-${letter}`, ARITIES[colons.length] ?? 'none')
  }
  for (const line of lines) {
    const [name = '', arity] = line.split(' ')
    options.set(name, ARITIES[Number(arity)] ?? 'none')
  }
  return { options, endsAtOperand: letters.startsWith('+') }
}

function findDifferences(spec: CommandSpec, realOptions: RealOptions): readonly string[] {
  const differences = listTableOptions(spec).flatMap(([name, arity]) => {
    const realArity = findRealArity(name, realOptions)
    // A program rejects `--name=value` if the option takes no value, as in an older version.
    const isRejected = name.startsWith('--') && arity === 'attached' && realArity === 'none'
    const isEqual = realArity === undefined || realArity === arity || isRejected
    return isEqual ? [] : [`${name}: ${arity}, not ${realArity}`]
  })
  const endsAtOperand = spec.style === 'posix' || spec.subcommands !== undefined || spec.endsOptionsAtOperand === true
  // Without operands the order makes no difference.
  const hasOperands = spec.operands !== undefined || spec.operandCases !== undefined
  return hasOperands && endsAtOperand !== realOptions.endsAtOperand ? [...differences, 'style'] : differences
}

/** Programs reject options that they do not have, unless these abbreviate one that they have. */
function findRealArity(name: string, { options }: RealOptions): Arity | undefined {
  const exactArity = options.get(name)
  if (exactArity !== undefined || !name.startsWith('--')) return exactArity
  const candidates = [...options].filter(([each]) => each.startsWith(name)).map(([, arity]) => arity)
  return new Set(candidates).size === 1 ? candidates[0] : undefined
}

function listTableOptions({ options = {} }: CommandSpec): readonly (readonly [string, Arity])[] {
  const refusedNames = new Set([...splitNames(options.refused), ...splitNames(options.runs)])
  const of = (lists: readonly (string | undefined)[], arity: Arity) =>
    lists.flatMap((list) => splitNames(list).map((name) => [name, arity] as const))
  return [
    ...of([options.flags, options.effects], 'none'),
    ...of([options.values, ...Object.values(options.roles ?? {}), ...Object.keys(options.choices ?? {})], 'required'),
    ...of([options.attached, ...Object.values(options.attachedRoles ?? {})], 'attached'),
  ].filter(([name]) => !refusedNames.has(name))
}
