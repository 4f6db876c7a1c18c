import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createHeadlessFixture } from './lib/headless-fixture.js'
import { getSessionPaths } from './lib/transcript-lines.js'

const { at, file, writeProgram, run } = createHeadlessFixture()

/** Finds the step that reads a file, and the id of the last removal, in the texts of results. */
const HELPERS = `
const lastResult = (request) => results(request).at(-1)
const stepWith = (request, tool) => new RegExp('^(\\\\S+)  \\\\d+  ' + tool + '\\\\b', 'm').exec(lastResult(request))[1]
const hasWords = (request) => messagesText(request).includes('unmistakable words')
`

async function writeScript(turns: string): Promise<string[]> {
  return writeProgram(`(() => { ${HELPERS} return { turns: [${turns}] } })()`)
}

test('a removed step is gone from the next request, stays gone after kill -9 and a resume, and can be restored', async () => {
  await writeFile(file('long.txt'), 'unmistakable words\n'.repeat(200))
  const first = await writeScript(`
    use('Read', { file_path: '${file('long.txt')}' }),
    use('CtxInspect', {}),
    (request) => use('Snip', { from: stepWith(request, 'Read'), reason: 'not needed' }),
    (request) => {
      console.error('REMOVED ' + !hasWords(request) + ' ' + messagesText(request).includes('Find the words'))
      process.kill(process.pid, 'SIGKILL')
    },
  `)

  const killed = await run(['-p', 'Find the words', '--session-id', 'snipped', ...first])

  expect(killed.stderr).toContain('REMOVED true true')
  const { transcript } = getSessionPaths(at('home'), at('project'), 'snipped')
  expect(readFileSync(transcript, 'utf8')).toContain('"type":"messages-rewritten","cause":"snip"')

  const second = await writeScript(`
    (request) => hasWords(request) ? 'The words are still there.' : use('CtxInspect', {}),
    (request) => use('Snip', { restore: /can be restored: (\\S+)/.exec(lastResult(request))[1] }),
    (request) => use('Read', { file_path: '${file('long.txt')}' }),
    (request) => hasWords(request) + ' ' + lastResult(request).includes('unchanged'),
  `)
  const resumed = await run(['-p', 'Go on', '--resume', 'snipped', '--output-format', 'json', ...second])

  expect(JSON.parse(resumed.stdout)).toMatchObject({ result: expect.stringMatching(/^true/), is_error: false })
})

test('a file that was read in a removed step is read again in full', async () => {
  await writeFile(file('long.txt'), 'unmistakable words\n'.repeat(200))
  const script = await writeScript(`
    use('Read', { file_path: '${file('long.txt')}' }),
    use('CtxInspect', {}),
    (request) => use('Snip', { from: stepWith(request, 'Read') }),
    use('Read', { file_path: '${file('long.txt')}' }),
    (request) => String(lastResult(request).includes('unmistakable words')),
  `)

  const { stdout } = await run(['-p', 'Find the words', ...script])

  expect(stdout.trim()).toBe('true')
})

test('CtxInspect reports the parts of the request, which add up to the total', async () => {
  const script = await writeScript(`
    use('Read', { file_path: '${file('a.txt')}' }),
    use('CtxInspect', {}),
    (request) => lastResult(request),
  `)

  const { stdout } = await run(['-p', 'Measure', ...script])

  const [, total] = /^(\d+) of \d+ tokens are used \(estimated\)/.exec(stdout) ?? []
  const parts = Array.from(stdout.matchAll(/^(?! )[^:\n]+: (\d+)$/gm), ([, tokens]) => Number(tokens))
  expect(parts.length).toBeGreaterThan(4)
  expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBe(Number(total))
})
