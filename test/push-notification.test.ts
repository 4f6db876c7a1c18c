import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'

const fixture = createHeadlessFixture()
const search = call('ToolSearch', { query: 'select:PushNotification' })
const push = call('PushNotification', { title: 'Done', message: 'All tests pass.' })

async function startWebhook() {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push(await text(request))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const writeSettings = async (folder: string, settings: object) => {
  await mkdir(fixture.at(folder, '.haft'), { recursive: true })
  await writeFile(fixture.at(folder, '.haft', 'settings.json'), JSON.stringify(settings))
}

test('a headless run notifies the webhook of the user settings without a question', async () => {
  const { bodies, url } = await startWebhook()
  await writeSettings('home', { push: { webhook: { url } } })
  const { stdout } = await fixture.run(['-p', 'Work', ...(await fixture.writeModel([search, push, 'Done.']))])
  expect(stdout).toContain('Done.')
  expect(bodies.map((body) => JSON.parse(body))).toMatchObject([{ title: 'Done', body: 'All tests pass.' }])
})

test('a webhook of project settings is ignored, and without another channel the tool is not offered', async () => {
  const { bodies, url } = await startWebhook()
  await writeSettings('project', { push: { webhook: { url } } })
  const program = await fixture.writeProgram(
    `[use('PushNotification', { title: 'Done', message: 'All tests pass.' }), (request) => results(request).at(-1)]`,
  )
  const { stdout } = await fixture.run(['-p', 'Work', ...program])
  expect(stdout).toContain('PushNotification')
  expect(stdout).toContain('it is switched off or denied here')
  expect(bodies).toEqual([])
})
