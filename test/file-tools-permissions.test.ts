import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judgeCall } from '../src/cli/commands/permissions/judge-call.js'
import {
  PERMISSION_MODES,
  type PermissionMode,
  type ToolPermissionContext,
} from '../src/contract/permission/context.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { toPermissionContext } from '../src/runtime/permissions/permission-rules.js'
import {
  createNotebook,
  FILE_CALLS,
  FILE_TOOLS,
  type FileCall,
  TARGET_NAMES,
  toTargetPath,
} from '../src/testing/files/file-calls.js'
import { call, textOf } from './runtime-fixtures.js'

/**
 * The decisions for the real tools, by kind of place and by rule. One letter for each mode, in the order default,
 * acceptEdits, plan, auto, dontAsk, bypassPermissions: A is allowed, Q is a question, D is denied.
 */
const DECISIONS = {
  reads: {
    inside: { none: 'AAAAAA', allow: 'AAAAAA', ask: 'QQQQDQ', deny: 'DDDDDD' },
    protected: { none: 'AAAAAA', allow: 'AAAAAA', ask: 'QQQQDQ', deny: 'DDDDDD' },
    outside: { none: 'QQQQDA', allow: 'AAAAAA', ask: 'QQQQDQ', deny: 'DDDDDD' },
  },
  writes: {
    inside: { none: 'QADADA', allow: 'AADAAA', ask: 'QQDQDQ', deny: 'DDDDDD' },
    protected: { none: 'QQDQDQ', allow: 'QQDQDQ', ask: 'QQDQDQ', deny: 'DDDDDD' },
    outside: { none: 'QQDQDA', allow: 'AADAAA', ask: 'QQDQDQ', deny: 'DDDDDD' },
  },
} as const

const DECISION_LETTERS = { allow: 'A', ask: 'Q', deny: 'D' } as const

interface Place {
  readonly name: string
  readonly kind: 'inside' | 'protected' | 'outside'
  /** The folder as the call names it. A leading slash means the root of the test. */
  readonly folder: string
  /** The real location, below the root. */
  readonly realFolder: string
  /**
   * Another path that the call may be considered to name, below the root: the link, or the alternative resolution of
   * dots after a link.
   */
  readonly other?: string
  /** Whether only the files in the folder are links, which a search of the folder does not follow. */
  readonly hasOnlyFileLinks?: true
}

const PLACES: readonly Place[] = [
  { name: 'the working directory', kind: 'inside', folder: 'src', realFolder: 'project/src' },
  {
    name: 'the working directory with dots in the path',
    kind: 'inside',
    folder: 'src/../../project/./src',
    realFolder: 'project/src',
  },
  { name: 'an additional working directory', kind: 'inside', folder: '/more', realFolder: 'more' },
  { name: 'a link inside', kind: 'inside', folder: 'alias', realFolder: 'project/src', other: 'project/alias' },
  { name: 'another folder', kind: 'outside', folder: '/other', realFolder: 'other' },
  {
    name: 'a folder whose name starts like the working directory',
    kind: 'outside',
    folder: '/project2',
    realFolder: 'project2',
  },
  { name: 'another folder with dots in the path', kind: 'outside', folder: 'src/../../other', realFolder: 'other' },
  { name: 'a link to the outside', kind: 'outside', folder: 'out', realFolder: 'other', other: 'project/out' },
  { name: 'dots after a link', kind: 'outside', folder: 'out/../src', realFolder: 'project/src', other: 'src' },
  { name: 'a link from the outside', kind: 'outside', folder: '/way/in', realFolder: 'project/src', other: 'way/in' },
  {
    ...{
      name: 'files that are links to the outside',
      kind: 'outside',
      folder: 'files',
      realFolder: 'other',
      other: 'project/files',
    },
    hasOnlyFileLinks: true,
  },
  { name: 'git configuration', kind: 'protected', folder: '.git/hooks', realFolder: 'project/.git/hooks' },
  {
    name: 'a link to git configuration',
    kind: 'protected',
    folder: 'git',
    realFolder: 'project/.git/hooks',
    other: 'project/git',
  },
  { name: "Haft's own folder", kind: 'protected', folder: '.haft', realFolder: 'project/.haft' },
]

const LINK_TARGETS: Readonly<Record<string, string>> = {
  'project/alias': 'project/src',
  'project/out': 'other',
  'way/in': 'project/src',
  [`project/files/${TARGET_NAMES.file}`]: `other/${TARGET_NAMES.file}`,
  [`project/files/${TARGET_NAMES.notebook}`]: `other/${TARGET_NAMES.notebook}`,
  'project/git': 'project/.git/hooks',
}

const OLD_TEXT = 'needle'
const NEW_TEXT = 'replaced'
let root: string

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'haft-decisions-')))
  const folders = new Set([...PLACES.map(({ realFolder }) => realFolder), 'home', 'way', 'project/files'])
  for (const folder of folders) await mkdir(join(root, folder), { recursive: true })
  for (const { realFolder } of PLACES) await writeTargets(realFolder)
  for (const [link, target] of Object.entries(LINK_TARGETS)) await symlink(join(root, target), join(root, link))
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function writeTargets(folder: string): Promise<void> {
  await writeFile(join(root, folder, TARGET_NAMES.file), `${OLD_TEXT}\n`)
  await writeFile(join(root, folder, TARGET_NAMES.notebook), createNotebook(OLD_TEXT))
}

type List = 'allow' | 'ask' | 'deny'
type Rules = Partial<Record<List, readonly string[]>>

/**
 * Makes a real call in every mode, infers the decision from its effects, and compares it with the predicted decision.
 */
async function collectDecisions(fileCall: FileCall, place: Place, rules: Rules) {
  const path = toTargetPath(place.folder.replace(/^\//, `${root}/`), fileCall.on)
  const input = fileCall.input(path, OLD_TEXT, NEW_TEXT)
  const host = { cwd: join(root, 'project'), homeDir: join(root, 'home') }
  let questionCount = 0
  const runtime = createToolRuntime({
    ...{ tools: FILE_TOOLS, ...host },
    async ask() {
      questionCount++
      return { behavior: 'deny' }
    },
  })
  // A file must be read before it is written.
  const readTargets = async () => {
    runtime.setPermissions(createContext('bypassPermissions', {}))
    if (fileCall.does === 'writes') await runtime.run([call('Read', { file_path: path })]).results
  }
  await readTargets()
  let actualDecisions = ''
  let predictedDecisions = ''
  for (const mode of PERMISSION_MODES) {
    const permissions = createContext(mode, rules)
    runtime.setPermissions(permissions)
    const questionCountBefore = questionCount
    const [result] = await runtime.run([call(fileCall.tool, input)]).results
    const isAllowed = result?.is_error !== true
    expect(await hadEffect(fileCall, place, textOf(result)), 'only allowed calls have an effect').toBe(isAllowed)
    actualDecisions += isAllowed ? 'A' : questionCount > questionCountBefore ? 'Q' : 'D'
    if (isAllowed && fileCall.does === 'writes') await writeTargets(place.realFolder).then(readTargets)
    const callToJudge = { toolName: fileCall.tool, input, permissions, projectDir: host.cwd, ...host }
    const { outcome } = await judgeCall({ ...callToJudge, canConfine: () => true })
    predictedDecisions += DECISION_LETTERS[outcome.behavior]
  }
  await runtime.dispose()
  return { real: actualDecisions, predicted: predictedDecisions }
}

async function hadEffect(fileCall: FileCall, { realFolder }: Place, text: string): Promise<boolean> {
  // Even the answer that a file is unchanged reveals that the file exists.
  if (fileCall.tool === 'Read') return /needle|has not changed/.test(text)
  if (fileCall.does === 'reads') return text.includes(fileCall.tool === 'Glob' ? TARGET_NAMES.file : OLD_TEXT)
  return (await readFile(join(root, realFolder, TARGET_NAMES[fileCall.on]), 'utf8')).includes(NEW_TEXT)
}

function createContext(mode: PermissionMode, rules: Rules): ToolPermissionContext {
  return toPermissionContext({ mode, ...rules, directories: [join(root, 'more')] })
}

const toEqualDecisions = (decisions: string) => ({ real: decisions, predicted: decisions })

/** Rules about reading apply to everything that reads, rules about editing to everything that writes. */
const getRuleFamily = ({ does }: FileCall) => (does === 'reads' ? 'Read' : 'Edit')
const createRuleBelow = (fileCall: FileCall, folder: string) => `${getRuleFamily(fileCall)}(/${join(root, folder)}/**)`

describe.each(FILE_CALLS)('$tool of a $on', (fileCall) => {
  const expectedDecisions = DECISIONS[fileCall.does]
  const places = PLACES.filter(({ hasOnlyFileLinks }) => hasOnlyFileLinks === undefined || fileCall.on !== 'folder')

  test.each(places)('in $name is decided as expected without rules and with rules for the tool', async (place) => {
    const expected = expectedDecisions[place.kind]
    expect(await collectDecisions(fileCall, place, {})).toEqual(toEqualDecisions(expected.none))
    for (const list of ['allow', 'ask', 'deny'] as const)
      expect([list, await collectDecisions(fileCall, place, { [list]: [fileCall.tool] })]).toEqual([
        list,
        toEqualDecisions(expected[list]),
      ])
  })

  test.each(places)('in $name is decided as expected with rules for the path', async (place) => {
    const expected = expectedDecisions[place.kind]
    const linkEnds = [place.realFolder, ...(place.other === undefined ? [] : [place.other])]
    // An allow rule has to cover both ends of a link; for a restriction one end is enough.
    expect(
      await collectDecisions(fileCall, place, { allow: linkEnds.map((end) => createRuleBelow(fileCall, end)) }),
    ).toEqual(toEqualDecisions(expected.allow))
    for (const end of linkEnds)
      for (const list of ['ask', 'deny'] as const)
        expect([
          end,
          list,
          await collectDecisions(fileCall, place, { [list]: [createRuleBelow(fileCall, end)] }),
        ]).toEqual([...[end, list], toEqualDecisions(expected[list])])
    if (place.other !== undefined)
      for (const end of linkEnds)
        expect([end, await collectDecisions(fileCall, place, { allow: [createRuleBelow(fileCall, end)] })]).toEqual([
          end,
          toEqualDecisions(expected.none),
        ])
  })

  test('obeys a Read or Edit restriction without a path; deny overrides ask, and ask overrides allow', async () => {
    const [place] = PLACES as readonly [Place]
    const family = getRuleFamily(fileCall)
    expect(await collectDecisions(fileCall, place, { deny: [family] })).toEqual(
      toEqualDecisions(expectedDecisions.inside.deny),
    )
    expect(await collectDecisions(fileCall, place, { ask: [family] })).toEqual(
      toEqualDecisions(expectedDecisions.inside.ask),
    )
    const path = createRuleBelow(fileCall, place.realFolder)
    expect(
      await collectDecisions(fileCall, place, { deny: [path], ask: [fileCall.tool], allow: [fileCall.tool, path] }),
    ).toEqual(toEqualDecisions(expectedDecisions.inside.deny))
    expect(await collectDecisions(fileCall, place, { ask: [path], allow: [fileCall.tool, path] })).toEqual(
      toEqualDecisions(expectedDecisions.inside.ask),
    )
    expect(await collectDecisions(fileCall, place, { deny: [createRuleBelow(fileCall, 'other')] })).toEqual(
      toEqualDecisions(expectedDecisions.inside.none),
    )
  })
})
