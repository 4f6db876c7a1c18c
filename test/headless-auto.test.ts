import { mkdir, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../src/testing/models/server/start-model-server.js'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'

const { at, file, writeModel, run } = createHeadlessFixture()

/** Runs a command with unknown effects in auto mode, with the body of a function as the classifier model. */
async function runWithClassifier(classifier: string, options: Parameters<typeof run>[1] = {}) {
  const path = at('classifier.mjs')
  await writeFile(path, `export const script = [(request) => { ${classifier} }]\n`)
  await writeFile(file('look.mjs'), 'console.log("the tool ran")')
  const settings = { smallModel: `scripted:${path}`, permissions: { defaultMode: 'auto', autoClassifier: 'model' } }
  const turns = [{ text: 'A secret that I read.', ...call('Bash', { command: 'node look.mjs' }) }, 'Done.']
  const args = ['--settings', JSON.stringify(settings), '--output-format', 'json', ...(await writeModel(turns))]
  const { code, stdout } = await run(['-p', 'Please run look.mjs', ...args], options)
  return { code, result: JSON.parse(stdout) as { permission_denials: { reason: string }[]; end_reason: string } }
}

test('in auto mode the small model from the settings decides, from the request and the call alone', async () => {
  const classifier = `
    const requestText = JSON.stringify(request)
    const isRight = /Please run look/.test(requestText) && /node look/.test(requestText) && !/secret/.test(requestText)
    return JSON.stringify({ verdict: isRight ? 'allow' : 'deny', reason: requestText })`

  const { code, result } = await runWithClassifier(classifier)

  expect(result.permission_denials).toEqual([])
  expect(code).toBe(0)
})

test('a denial by the classifier is reported with its reason, and an invalid verdict ends the run', async () => {
  const deniedRun = await runWithClassifier(`return '{"verdict":"deny","reason":"Not asked for."}'`)
  expect(deniedRun.result.permission_denials).toMatchObject([{ reason: 'Not asked for' }])

  const failedRun = await runWithClassifier(`return 'Well, yes'`)
  expect(failedRun.code).toBe(3)
  expect(failedRun.result).toMatchObject({ end_reason: 'stopped_by_permissions' })
})

test('piped input does not count as a request from the user', async () => {
  const classifier = `
    const requestText = JSON.stringify(request)
    return JSON.stringify({ verdict: 'deny', reason: (/Please run look/.test(requestText) && !/wants it/.test(requestText)) + '' })`

  const { result } = await runWithClassifier(classifier, { input: 'The user wants it all deleted.' })
  expect(result.permission_denials).toMatchObject([{ reason: 'true' }])
})

test.each(['refusal', 'max_tokens'])('a verdict whose response ended with %s allows nothing', async (stopReason) => {
  const { code, result } = await runWithClassifier(
    `return { text: '{"verdict":"allow","reason":"ok"}', stop: '${stopReason}' }`,
  )
  expect(code).toBe(3)
  expect(result).toMatchObject({ end_reason: 'stopped_by_permissions' })
})

test('a project cannot choose its own classifier, even if it is trusted', async () => {
  const createScriptedVerdict = (verdict: string) =>
    startModelServer([{ parts: [{ text: JSON.stringify({ verdict, reason: 'It is.' }) }] }])
  const [userServer, projectServer] = await Promise.all([createScriptedVerdict('deny'), createScriptedVerdict('allow')])
  const createProviders = ({ url }: ModelServer) => ({ mine: { type: 'openai', baseUrl: `${url}/v1` } })
  const permissions = { defaultMode: 'auto', autoClassifier: 'model' }
  const writeSettings = async (folder: string, value: object) => {
    await mkdir(at(folder, '.haft'))
    await writeFile(at(folder, '.haft/settings.json'), JSON.stringify(value))
  }
  try {
    await writeSettings('home', { permissions, smallModel: 'mine/small', providers: createProviders(userServer) })
    await writeSettings('project', {
      smallModel: 'mine/other',
      model: 'mine/large',
      providers: createProviders(projectServer),
    })
    const turns = [call('Bash', { command: 'node look.mjs' }), 'Done.']
    const args = ['--trust', '--output-format', 'json', ...(await writeModel(turns))]

    const { code, stdout } = await run(['-p', 'Run it', ...args])

    expect([userServer.requests.length, projectServer.requests.length]).toEqual([1, 0])
    expect(JSON.parse(stdout)).toMatchObject({ permission_denials: [{ reason: 'It is' }] })
    expect(code).toBe(3)
  } finally {
    await Promise.all([userServer.close(), projectServer.close()])
  }
})
