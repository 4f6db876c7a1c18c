import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countLines, createInteractive } from './interactive-fixture.mjs'

async function open(options: Parameters<typeof createInteractive>[0]) {
  const interactive = await createInteractive(options)
  onTestFinished(() => interactive.close())
  return interactive
}

const ESC = '\u001b'
const write = (file_path: string, content: string) => ({ calls: [{ name: 'Write', input: { file_path, content } }] })

test('/undo goes back one call at a time, and /rewind chooses one', async () => {
  const { start, project } = await open({ turns: [write('a.txt', 'one'), write('b.txt', 'two'), 'Written.'] })
  const terminal = start(['--permission-mode', 'acceptEdits', 'Write them'])
  await terminal.waitFor('Written.')
  await terminal.waitFor('% of context')

  terminal.type('/undo\r')
  await terminal.waitFor(/Restored the state before[\s\S]*b\.txt/)
  expect([existsSync(join(project, 'a.txt')), existsSync(join(project, 'b.txt'))]).toEqual([true, false])
  terminal.type('/undo\r')
  await terminal.waitFor(() => countLines(terminal, 'Restored the state before') === 2)
  expect(existsSync(join(project, 'a.txt'))).toBe(false)
  terminal.type('/undo\r')
  await terminal.waitFor('There are no file changes of this session to undo.')

  terminal.type('/rewind\r')
  await terminal.waitFor('What should be restored?')
  terminal.type('3')
  await terminal.waitFor('Restore the files from before a call')
  await terminal.waitFor('rewind to')
  terminal.type('\r')
  await terminal.waitFor(() => countLines(terminal, 'Restored the state before') === 3)
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one')
})

/** The last prompts are answered with what the model received. */
const REWIND_SCRIPT = `
const seen = ({ messages }) =>
  ['First prompt', 'Write it', 'Written.', 'again'].filter((text) => JSON.stringify(messages).includes(text)).join(' + ')
export default {
  turns: [
    'Hello.',
    { calls: [{ name: 'Write', input: { file_path: 'a.txt', content: 'one' } }] },
    'Written.',
    (request) => 'Received: ' + seen(request),
    (request) => 'Later received: ' + seen(request),
  ],
}`

test('/rewind goes back to before a prompt, with its files', async () => {
  const { start, project } = await open({ program: REWIND_SCRIPT })
  const terminal = start(['--permission-mode', 'acceptEdits', 'First prompt'])
  await terminal.waitFor('Hello.')
  await terminal.waitFor('% of context')
  terminal.type('Write it\r')
  await terminal.waitFor('Written.')
  await terminal.waitFor(() => !terminal.readText().includes('Esc to interrupt'))

  terminal.type('/rewind\r')
  await terminal.waitFor('What should be restored?')
  terminal.type('1')
  await terminal.waitFor('Go back to the state before a prompt')
  await terminal.waitFor('a.txt')
  terminal.type('\r')
  await terminal.waitFor('> Write it')
  expect(existsSync(join(project, 'a.txt'))).toBe(false)
  terminal.type(' again\r')
  await terminal.waitFor('Received: First prompt + Write it + again')
  await terminal.waitFor(() => !terminal.readText().includes('Esc to interrupt'))
  terminal.type('And now?\r')
  await terminal.waitFor('Later received: First prompt + Write it + again')
})

test('/config changes settings at once and saves them', async () => {
  const { start, home } = await open({ turns: ['Hello.'] })
  const terminal = start()
  await terminal.waitFor('asks before changes')

  terminal.type('/config\r')
  await terminal.waitFor('Editor keys: normal')
  terminal.type('2')
  await terminal.waitFor('Editor keys: vim')
  terminal.type('1')
  await terminal.waitFor('high-contrast')
  terminal.type('2')
  await terminal.waitFor('Colours: light')
  terminal.type(ESC)
  await terminal.waitFor('settings file')
  expect(JSON.parse(readFileSync(join(home, '.haft/settings.json'), 'utf8'))).toEqual({
    editorMode: 'vim',
    theme: 'light',
  })
})

test('commands that only show information work one after another in a session', async () => {
  const { start } = await open({
    turns: ['Hello.'],
    files: { '.haft/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies up\n---\nTidy $ARGUMENTS.' },
  })
  const terminal = start()
  await terminal.waitFor('asks before changes')

  for (const [name, shown] of [
    ['/tools', 'Grep'],
    ['/permissions', 'Mode: default'],
    ['/hooks', 'There are no hooks.'],
    ['/mcp', 'There are no MCP servers.'],
    ['/lsp', 'No language server has been started.'],
    ['/agents', 'Explore'],
    ['/skills', 'Tidies up'],
    ['/cost', 'output: 0 tokens'],
    ['/doctor', 'Haft is ready'],
    ['/model', 'tokens of context'],
    ['/diff', /Cannot show the changes: not a git repository/i],
  ] as const) {
    terminal.type(`${name}\r`)
    await terminal.waitFor(shown)
  }
  expect(countLines(terminal, 'internal error')).toBe(0)
  expect(terminal.exitCode).toBeUndefined()
})

test('a skill and a command with arguments become prompts in the terminal', async () => {
  const files = {
    '.haft/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies up\n---\nTidy the folder $ARGUMENTS.',
    '.claude/commands/fix.md': '---\ndescription: Fixes\n---\nFix issue $1 in $2.',
  }
  const { start } = await open({ turns: ['First.', 'Second.'], files })
  const terminal = start()
  await terminal.waitFor('asks before changes')
  terminal.type('/tidy src test\r')
  await terminal.waitFor('First.')
  terminal.type('/fix 12 "the parser"\r')
  await terminal.waitFor('Second.')
  terminal.type('\u000f')
  await terminal.waitFor('Tidy the folder src test.')
  await terminal.waitFor('Fix issue 12 in the parser.')
  terminal.type('q\u0004')
  await terminal.waitForExit()
})

test('help and notices are wrapped between words on a narrow screen', async () => {
  const { start } = await open({ turns: [{ calls: [{ name: 'Glob', input: { pattern: '*' } }] }, 'Done.'] })
  const withoutModel = start([], { columns: 40, model: '' })
  await withoutModel.waitFor('doctor.')
  const isCommand = (line: string) => line.startsWith('  ')
  const widthsOf = (lines: readonly string[]) => lines.filter((line) => !isCommand(line)).map(({ length }) => length)
  expect(Math.max(...widthsOf(withoutModel.readLines()))).toBeLessThanOrEqual(40)

  const terminal = start(['Look'], { columns: 40 })
  await terminal.waitFor('Done.')
  await terminal.waitFor('% of context')
  for (const command of ['/help', '/mcp', '/skills', '/cost']) terminal.type(`${command}\r`)
  await terminal.waitFor('calls: 1')
  expect(Math.max(...widthsOf(terminal.readLines()))).toBeLessThanOrEqual(40)
})
