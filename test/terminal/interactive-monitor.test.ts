import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countLines, createInteractive } from './interactive-fixture.mjs'

/** Prints a line for each file that appears, in order, and then ends. */
const WATCH = 'for name in one two; do while [ ! -e $name ]; do sleep 0.02; done; echo "saw $name"; done'

/** Starts a monitor, and reacts to what has been reported since. */
const PROGRAM = `
export const script = { turns: Array(20).fill(({ messages }) => {
  const text = JSON.stringify(messages)
  if (!text.includes('monitor-1'))
    return { calls: [{ name: 'Monitor', input: { command: 'sh watch.sh', description: 'the files' } }] }
  const prompt = text.includes('A prompt in between') ? ' and the prompt' : ''
  if (text.includes('has ended')) return 'Reaction to the end' + prompt + '.'
  return text.includes('saw one') ? 'Reaction to the first line' + prompt + '.' : 'I watch.'
}) }
`

test('the lines of a monitor wake an idle session in the terminal, and input is kept meanwhile', async () => {
  const interactive = await createInteractive({ program: PROGRAM, files: { 'watch.sh': WATCH } })
  onTestFinished(() => interactive.close())
  const terminal = interactive.start(['--allowed-tools', 'Monitor', 'Watch the files'], {
    variables: { HAFT_TOOL_SEARCH: 'false' },
  })
  await terminal.waitFor('I watch.')

  // The user has begun to write, and the session is idle.
  terminal.type('A prompt in')
  await terminal.waitFor('> A prompt in')
  writeFileSync(join(interactive.project, 'one'), '')
  await terminal.waitFor('Reaction to the first line.')
  terminal.type(' between')
  await terminal.waitFor('> A prompt in between')
  terminal.type('\r')
  await terminal.waitFor('Reaction to the first line and the prompt.')
  writeFileSync(join(interactive.project, 'two'), '')
  await terminal.waitFor('Reaction to the end and the prompt.')

  expect(countLines(terminal, 'saw one')).toBe(1)
  expect(countLines(terminal, 'saw two')).toBe(1)
})
