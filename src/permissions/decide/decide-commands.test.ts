import { describe, expect, test } from 'vitest'
import type { CommandWord, SimpleCommand } from '../../contract/command.js'
import { toKnownWord } from '../../shell/words/shell-word.js'
import {
  BashTool,
  behaviorOf,
  createFakePaths,
  createFakeShell,
  createFixtureTool,
  decideOn,
  type FakeShell,
  readStatedCommand,
} from '../fixture-calls.js'

const argvOf = (text: string) => text.split(' ').map(toKnownWord)
const createWrittenCommands = (text: string) => [{ words: argvOf(text) }]
const createPartlyKnownWords = (program: string, text: string): readonly CommandWord[] => [
  toKnownWord(program),
  { text, knownLength: 0, spread: 'any' },
]
const createPart = (text: string, members: Partial<SimpleCommand> = {}) => ({
  argv: argvOf(text),
  asWritten: createWrittenCommands(text),
  ...members,
})
const createReadingPart = (text: string, ...paths: string[]) => createPart(text, { isReadOnly: true, reads: paths })

const shell = createFakeShell({
  'npm test': [createPart('npm test')],
  'npm test && ls': [createPart('npm test'), createReadingPart('ls')],
  'npm test && cat /etc/passwd': [createPart('npm test'), createReadingPart('cat /etc/passwd', '/etc/passwd')],
  'npm test; touch x': [createPart('npm test'), createPart('touch x', { writes: ['x'] })],
  'npm test > out.log': [createPart('npm test', { redirects: ['out.log'] })],
  'sudo rm x': [{ argv: argvOf('rm x'), asWritten: createWrittenCommands('sudo rm x') }],
  'cat src/a': [createReadingPart('cat src/a', 'src/a')],
  'cat .env': [createReadingPart('cat .env', '.env')],
  'cat /etc/passwd': [createReadingPart('cat /etc/passwd', '/etc/passwd')],
  'cp a /data/b': [createPart('cp a /data/b', { reads: ['a'], writes: ['/data/b'] })],
  'touch x': [createPart('touch x', { writes: ['x'] })],
  'echo x >> ~/.bashrc': [createPart('echo x', { redirects: ['~/.bashrc'] })],
  'echo $(x)': [{ argv: argvOf('echo $(x)'), asWritten: [] }, createPart('x')],
  'git $VERB': [
    { argv: createPartlyKnownWords('git', '$VERB'), asWritten: [{ words: createPartlyKnownWords('git', '$VERB') }] },
  ],
  'curl x': [createPart('curl x', { network: true })],
  'show "$FILE"': [createPart('show', { isReadOnly: true, areEffectsKnown: false })],
  '# nothing': [],
})

function decide(command: string, options: Parameters<typeof behaviorOf>[2] = {}) {
  return behaviorOf(BashTool, { command }, { shell, ...options })
}

describe('an allow rule with content', () => {
  const rules = { allow: ['Bash(npm test:*)'] }

  test('covers its command, and a compound command whose other parts only read permitted files', async () => {
    expect(await decide('npm test', { rules })).toBe('allow')
    expect(await decide('npm test && ls', { rules })).toBe('allow')
    expect(await decide('npm test && cat /etc/passwd', { rules })).toBe('ask')
    expect(await decide('npm test; touch x', { rules })).toBe('ask')
  })

  test('does not cover a redirection, which is a write and needs its own rule', async () => {
    expect(await decide('npm test > out.log', { rules })).toBe('ask')
    expect(await decide('npm test > out.log', { rules: { allow: ['Bash(npm test:*)', 'Edit(out.log)'] } })).toBe(
      'allow',
    )
  })

  test('does not cover a substitution', async () => {
    expect(await decide('echo $(x)', { rules: { allow: ['Bash(echo:*)', 'Bash(x)'] } })).toBe('ask')
  })

  test('is compared only with the known words of a command as it was written', async () => {
    expect(await decide('sudo rm x', { rules: { allow: ['Bash(rm:*)'] } })).toBe('ask')
    expect(await decide('git $VERB', { rules: { allow: ['Bash(git:*)'] } })).toBe('allow')
    expect(await decide('git $VERB', { rules: { allow: ['Bash(git push:*)'] } })).toBe('ask')
  })

  test('does not cover a write outside the working directories, even if it is the exact command', async () => {
    expect(await decide('cp a /data/b', { rules: { allow: ['Bash(cp:*)'] } })).toBe('ask')
    expect(await decide('cp a /data/b', { rules: { allow: ['Bash(cp:*)', 'Edit(//data/**)'] } })).toBe('allow')
    expect(await decide('cp a /data/b', { rules: { allow: ['Bash(cp a /data/b)'] } })).toBe('ask')
    expect(await decide('cp a /data/b', { rules: { allow: ['Bash'] } })).toBe('allow')
  })

  test('is read as a command even if it looks like a path', async () => {
    expect(await decide('cat /etc/passwd', { rules: { allow: ['Bash(//etc/**)'] } })).toBe('ask')
  })
})

describe('a deny or ask rule', () => {
  test('is compared with every part of a command without wrappers such as sudo', async () => {
    expect(await decide('sudo rm x', { rules: { deny: ['Bash(rm:*)'], allow: ['Bash'] } })).toBe('deny')
    expect(await decide('npm test && ls', { rules: { ask: ['Bash(ls)'], allow: ['Bash'] } })).toBe('ask')
    expect(await decide('npm test', { rules: { deny: ['Bash(rm:*)'], allow: ['Bash'] } })).toBe('allow')
    expect(await decide('# nothing', { rules: { deny: ['Bash(*)'], allow: ['Bash'] } })).toBe('deny')
  })

  test('causes a question if an unresolved word could make it match', async () => {
    expect(await decide('git $VERB', { rules: { deny: ['Bash(git push:*)'], allow: ['Bash'] } })).toBe('ask')
    expect(await decide('git $VERB', { rules: { deny: ['Bash(git push:*)'] }, mode: 'bypassPermissions' })).toBe('ask')
    expect(await decide('git $VERB', { rules: { deny: ['Bash(rm:*)'], allow: ['Bash'] } })).toBe('allow')
  })

  test('for Read or Edit applies to commands that read or write the file', async () => {
    expect(await decide('cat .env', { rules: { deny: ['Read(.env)'], allow: ['Bash'] } })).toBe('deny')
    expect(await decide('cat src/a', { rules: { deny: ['Read(.env)'] } })).toBe('allow')
    expect(await decide('npm test > out.log', { rules: { deny: ['Edit(*.log)'], allow: ['Bash'] } })).toBe('deny')
    expect(await decide('cp a /data/b', { rules: { deny: ['Edit(//data/**)'], allow: ['Bash'] } })).toBe('deny')
  })

  test('for commands applies to every tool that runs commands', async () => {
    const monitorTool = createFixtureTool('Monitor', { needs: ['shell'], command: readStatedCommand })
    const input = { command: 'sudo rm x' }
    expect(await behaviorOf(monitorTool, input, { shell, rules: { deny: ['Bash(rm:*)'], allow: ['Monitor'] } })).toBe(
      'deny',
    )
    expect(await behaviorOf(monitorTool, input, { shell, rules: { deny: ['Bash'], allow: ['Monitor'] } })).toBe('deny')
    expect(
      await behaviorOf(monitorTool, input, { shell, rules: { deny: ['Monitor(rm:*)'], allow: ['Monitor'] } }),
    ).toBe('deny')
    expect(await behaviorOf(monitorTool, input, { shell, rules: { allow: ['Bash', 'Bash(sudo:*)'] } })).toBe('ask')
  })

  test('written with quotes is compared without them', async () => {
    expect(await decide('npm test', { rules: { deny: [`Bash("npm" 'test')`], allow: ['Bash'] } })).toBe('deny')
  })
})

describe('a command that only reads', () => {
  test('is allowed if everything it reads lies in the working directories', async () => {
    expect(await decide('cat src/a')).toBe('allow')
    expect(await decide('cat /etc/passwd')).toBe('ask')
    expect(await decide('cat /etc/passwd', { rules: { allow: ['Read(//etc/passwd)'] } })).toBe('allow')
    expect(await decide('cat src/a', { paths: createFakePaths({ links: { '/project/src': '/srv' } }) })).toBe('ask')
    expect(await decide('show "$FILE"')).toBe('ask')
    expect(await decide('# nothing')).toBe('ask')
  })

  test('is not allowed if its tool is not read-only', async () => {
    const notReadOnlyTool = createFixtureTool('Bash', { needs: ['shell'], command: readStatedCommand })
    expect(await behaviorOf(notReadOnlyTool, { command: 'cat src/a' }, { shell })).toBe('ask')
  })

  test('is the only kind of command that plan mode runs', async () => {
    expect(await decide('cat src/a', { mode: 'plan' })).toBe('allow')
    expect(await decide('touch x', { mode: 'plan', rules: { allow: ['Bash'] } })).toBe('deny')
  })
})

test('a command that writes a protected file is asked about despite every allow rule and mode', async () => {
  const outcome = await decideOn(
    BashTool,
    { command: 'echo x >> ~/.bashrc' },
    { shell, mode: 'bypassPermissions', rules: { allow: ['Bash'] } },
  )

  expect(outcome).toMatchObject({
    behavior: 'ask',
    reason: { type: 'safety', text: '~/.bashrc is a shell start-up file' },
  })
})

test('the mode acceptEdits does not allow commands that write', async () => {
  expect(await decide('touch x', { mode: 'acceptEdits' })).toBe('ask')
})

test('a call without a command text is asked about like an unknown command', async () => {
  expect(await behaviorOf(BashTool, {}, { shell, rules: { deny: ['Bash(rm:*)'], allow: ['Bash'] } })).toBe('ask')
})

test('the name of a key sent to a terminal is not taken for a redirection, but an angle bracket is', async () => {
  const terminal = createFixtureTool('Terminal', { needs: ['terminal'], isReadOnly: () => false })
  const send = (...keys: string[]) => behaviorOf(terminal, { keys }, { mode: 'bypassPermissions' })
  expect(await send('<Escape>', ':wq', '<Enter>', '<C-c>')).toBe('allow')
  expect(await send('echo x >', ' file', '<Enter>')).toBe('ask')
  expect(await send('>', '<Enter>')).toBe('ask')
  const shell = createFixtureTool('Other', { needs: ['shell'], isReadOnly: () => false })
  expect(await behaviorOf(shell, { words: ['cat', '<a>', 'file'] }, { mode: 'bypassPermissions' })).toBe('ask')
})

test('keystrokes sent to a terminal are asked about like an unknown command', async () => {
  const members = { needs: ['terminal'], isReadOnly: (input: { keys?: string }) => input.keys === undefined } as const
  const terminal = createFixtureTool('Terminal', { ...members, command: () => undefined })
  const rules = { deny: ['Bash(rm:*)'], allow: ['Terminal'] }
  expect(await behaviorOf(terminal, { keys: 'rm x' }, { shell, rules })).toBe('ask')
  expect(await behaviorOf(terminal, {}, { shell, rules })).toBe('allow')

  const undeclaredTerminal = createFixtureTool('Terminal', members)
  expect(await behaviorOf(undeclaredTerminal, {}, { shell, rules })).toBe('ask')
})

test('a command with a NUL character is denied', async () => {
  expect(await decide('ls\0', { rules: { allow: ['Bash'] } })).toBe('deny')
})

test.each<[string, FakeShell | undefined]>([
  ['without an analysis', undefined],
  [
    'with the analysis of another command',
    { analyse: (line, cwd) => shell.analyse({ ...line, text: 'cat .env' }, cwd) },
  ],
  ['with an analysis for another folder', { analyse: (line) => shell.analyse(line, '/elsewhere') }],
])('%s, a command is treated as not understood', async (_, options) => {
  const decideBy = (command: string, rules = {}) =>
    behaviorOf(BashTool, { command }, { rules, ...(options && { shell: options }) })
  expect(await decideBy('cat src/a')).toBe('ask')
  expect(await decideBy('rm x', { deny: ['Bash(rm:*)'] })).toBe('deny')
})

describe('a tool that is given a shell and does not state its command', () => {
  const script = createFixtureTool('Script', { needs: ['shell'], isReadOnly: () => true })
  const input = { script: 'rm -rf /' }

  test('is decided like a command that was not understood', async () => {
    expect(await behaviorOf(script, input, { shell })).toBe('ask')
    expect(await behaviorOf(script, input, { shell, rules: { deny: ['Bash'] } })).toBe('deny')
    const rules = { deny: ['Bash(rm:*)'] }
    expect(await behaviorOf(script, input, { shell, rules, mode: 'bypassPermissions' })).toBe('ask')
    expect(await behaviorOf(script, { command: ['rm'] }, { shell, rules, mode: 'bypassPermissions' })).toBe('ask')
  })

  test('is asked about if any string of its input names a protected file', async () => {
    const writes = { steps: [{ script: 'echo x >> ~/.bashrc' }] }
    expect(await behaviorOf(script, writes, { shell, mode: 'bypassPermissions' })).toBe('ask')
  })
})

test('a text without commands is treated as a command that was not understood', async () => {
  const rules = { deny: ['Bash(rm:*)'], allow: ['Bash'] }
  expect(await decide('# nothing', { rules })).toBe('ask')
  expect(await decide('# nothing', { rules: { deny: ['Read(.env)'], allow: ['Bash'] } })).toBe('ask')
})

test('a command of unknown effects with an unresolved word is treated as if the word could be any file', async () => {
  const argv = createPartlyKnownWords('show', '$FILE')
  const shellWithUnknownFile = createFakeShell({
    'show $FILE': [
      {
        ...{ argv, asWritten: [{ words: argv }], areEffectsKnown: false },
        possible: { usesAnyFile: true, paths: [], partPaths: [] },
      },
    ],
  })
  const rules = { deny: ['Read(.env)'], allow: ['Bash(show:*)'] }
  expect(await decide('show $FILE', { shell: shellWithUnknownFile, rules })).toBe('ask')
  expect(await decide('show $FILE', { shell: shellWithUnknownFile, rules: { allow: ['Bash(show:*)'] } })).toBe('allow')
})
