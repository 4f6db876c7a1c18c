import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const KEY = 'sk-test-1234567890'
const { at, run } = createHeadlessFixture()
const keysFile = () => at('home/.haft/keys.json')

/** Starts a server that refuses every request, and returns its URL and the keys that it was sent. */
async function startServer() {
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization)
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, keys }
}

/** Settings of the user with one provider at this URL. */
async function writeProvider(url: string, folder = at('home/.haft')) {
  await run(['config', 'edit'])
  await writeFile(
    `${folder}/settings.json`,
    JSON.stringify({ model: 'mine/m', providers: { mine: { type: 'openai', baseUrl: url } } }),
  )
}

describe('haft login', () => {
  test('stores a key that only the user can read, and never prints it', async () => {
    const outputs = [
      await run(['login', 'openai'], { input: `${KEY}\n` }),
      await run(['login', '--list']),
      await run(['models']),
      await run(['models', '--json']),
      await run(['doctor']),
    ]
    expect((await stat(keysFile())).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(keysFile(), 'utf8'))).toEqual({ providers: { openai: { key: KEY } } })
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
    expect(JSON.stringify(outputs)).not.toContain(KEY)
    expect(outputs[2]?.stdout).toMatch(/^Model: \S+ of openai, key from haft login\n/)
    expect(outputs[4]?.stdout).toContain('key from haft login')

    expect((await run(['login', '--remove', 'openai'])).code).toBe(0)
    expect((await run(['login', '--list'])).stdout).toContain('No key is stored')
  })

  test('the key is sent to the server for which it was stored, and to no other', async () => {
    const [server, otherServer] = [await startServer(), await startServer()]
    await writeProvider(server.url)
    expect((await run(['login', 'mine'], { input: KEY })).code).toBe(0)
    await run(['-p', 'Hello'])
    expect(server.keys).toContain(`Bearer ${KEY}`)

    await writeProvider(otherServer.url)
    await run(['-p', 'Hello'])
    expect(otherServer.keys.length).toBeGreaterThan(0)
    expect(otherServer.keys.join()).not.toContain(KEY)
  })

  test('a stored key of OpenAI is not sent to another server that a variable names', async () => {
    const { url, keys } = await startServer()
    await run(['login', 'openai'], { input: KEY })
    await run(['-p', 'Hello'], { variables: { OPENAI_BASE_URL: url, HAFT_MODEL: 'm' } })
    expect(keys.length).toBeGreaterThan(0)
    expect(keys.join()).not.toContain(KEY)
  })

  test('a command prints the key when it is needed', async () => {
    const { url, keys } = await startServer()
    await writeProvider(url)
    const command = `echo run >> ${at('runs')}; echo ${KEY}`
    expect((await run(['login', 'mine', '--command', command])).code).toBe(0)
    await run(['models'])
    await expect(stat(at('runs'))).rejects.toThrow('ENOENT')

    await run(['-p', 'Hello'])

    expect(keys).toContain(`Bearer ${KEY}`)
    expect(await readFile(at('runs'), 'utf8')).toBe('run\n')
  })

  test('a failing command gives one line that says what to do', async () => {
    await run(['login', 'openai', '--command', 'echo secret-text; exit 1'])
    const { code, stderr } = await run(['-p', 'Hello'])
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringMatching(/^haft: .*haft login openai --command/) })
    expect(stderr).not.toContain('secret-text')
  })

  test('commands of the agent get neither the key nor its file', async () => {
    await run(['login', 'openai'], { input: KEY })
    const call = (command: string) =>
      run(['call', 'Bash', JSON.stringify({ command }), '--allowed-tools', 'Bash(touch:*), Bash(env)'])
    expect((await call('touch made && env')).stdout).not.toContain(KEY)
    for (const path of [keysFile(), '~/.haft/keys.json']) {
      const { code, stdout } = await call(`cat ${path}`)
      expect({ code, stdout }).toEqual({ code: 3, stdout: expect.not.stringContaining(KEY) })
    }
    expect((await run(['call', 'Read', JSON.stringify({ file_path: keysFile() })])).code).toBe(3)
  })

  test.each([
    [['login', 'openai', KEY], '', 'history of the shell'],
    [['login', 'opnai'], KEY, 'Did you mean openai?'],
    [['login'], KEY, 'haft login anthropic, or haft login openai'],
    [['login', 'openai'], ' \n', 'the key is empty'],
    [['login', 'openai'], 'two words', 'this is not a key'],
    [['login', 'openai', '--command', ' '], '', '--command needs a command'],
  ])('haft %j stores nothing and says why', async (args, input, message) => {
    const { code, stdout, stderr } = await run(args, { input })
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
    expect(stderr).not.toContain(KEY)
    await expect(stat(keysFile())).rejects.toThrow('ENOENT')
  })
})

describe('without a key', () => {
  test('haft -p names the commands that help, and they work', async () => {
    const { code, stderr } = await run(['-p', 'Hello'])
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringMatching(/haft login .*haft models /) })
    const models = await run(['models'])
    expect(models).toMatchObject({ code: 0, stderr: '' })
    expect(models.stdout).toContain('To store one: haft login')
    expect(models.stdout).toMatch(/^ {2}claude-sonnet-5-5 {2}1000000 tokens, \$2 in, \$10 out per million$/m)
  })
})
