import { expect } from 'vitest'
import { type ApiServer, serveFleetApi } from '../src/fleet/api/serve-api.js'
import { BodyStore } from '../src/fleet/runs/body-store.js'
import { createToken, type Scope, setTenant } from '../src/fleet/runs/tenants.js'
import { FleetFixture, testWithPostgres, usePostgres } from './lib/fleet-fixture.js'

const postgres = usePostgres()

async function withApi(run: (fixture: FleetFixture, api: ApiServer) => Promise<void>): Promise<void> {
  const fixture = await FleetFixture.open(await postgres())
  const api = await serveFleetApi(fixture.fleet, { port: 0, host: '127.0.0.1' })
  try {
    for (const tenant of ['victim', 'attacker']) await setTenant(fixture.fleet.database, tenant)
    await run(fixture, api)
  } finally {
    await api.close()
    await fixture.close()
  }
}

function createCaller(api: ApiServer, token: string | undefined) {
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${api.url}${path}`, {
      method,
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      text,
      json: response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined,
    }
  }
}

testWithPostgres('30 attempts of a tenant to read, answer or change what belongs to another one fail', () =>
  withApi(async (fixture, api) => {
    const { database } = fixture.fleet
    const scopes: readonly Scope[] = ['read', 'submit', 'control', 'answer']
    const victim = fixture.fleet.tenant('victim')
    const spec = { prompt: 'the secret plan' }
    const { id } = await victim.submit({ spec, key: 'shared-key' })
    const question = await victim.questions.add({
      run: id,
      kind: 'permission',
      subject: 's',
      question: { tool: 'Bash' },
    })
    const schedule = await victim.schedules.create({ cron: '0 0 1 1 *', timezone: 'UTC', spec })
    const hash = await new BodyStore(database, 'victim').store(Buffer.from('the secret patch'))
    const call = createCaller(api, await createToken(database, 'attacker', { label: 'a', scopes }))
    const runPaths = [id, encodeURIComponent(`${id}' OR '1'='1`), `${id}%00`, `${id}?tenant=victim`, `../runs/${id}`]
    const attempts: (readonly [string, string, unknown?])[] = [
      ...runPaths.map((path) => ['GET', `/v1/runs/${path}`] as const),
      ['GET', `/v1/runs/${id}/steps`],
      ['GET', `/v1/runs/${id}/transcript`],
      ['GET', `/v1/runs/${id}/transcript?from=-1`],
      ...['cancel', 'pause', 'resume', 'retry'].map((verb) => ['POST', `/v1/runs/${id}/${verb}`] as const),
      ['POST', `/v1/runs/${id}/fork`, { step: 1 }],
      ['POST', `/v1/runs/${id}/cancel?tenant=victim`],
      ['GET', `/v1/runs/${id}/results`],
      ['POST', '/v1/schedules', { cron: '* * * * *', spec, tenant: 'victim' }],
      ['GET', `/v1/bodies/${hash}`],
      ['GET', `/v1/bodies/${hash}?tenant=victim`],
      ['POST', `/v1/questions/${question}/answer`, { behavior: 'allow' }],
      ['POST', `/v1/questions/${question}/answer`, { behavior: 'allow', tenant: 'victim' }],
      ['POST', `/v1/questions/${question}/answer?tenant=victim`, { behavior: 'allow' }],
      ['DELETE', `/v1/schedules/${schedule.id}`],
      ['DELETE', `/v1/schedules/${schedule.id}?tenant=victim`],
      ['POST', '/v1/runs', { spec, tenant: 'victim' }],
      ['POST', '/v1/runs', { spec: { ...spec, tenant: 'victim' } }],
      ['POST', '/v1/runs', { spec: { prompt: 'x', model: 'scripted:/tmp/evil.mjs' } }],
      ['POST', '/v1/runs', { spec: { prompt: 'x', permissionMode: 'bypassPermissions' } }],
      ['POST', '/v1/runs', { spec: { prompt: 'x', repository: { url: 'ext::sh -c id' } } }],
      ['POST', '/v1/runs', { spec: { prompt: 'x', repository: { url: 'file:///etc' } } }],
      ['POST', '/v1/runs', { spec: { prompt: 'x', repository: { url: 'https://a/b', ref: '--upload-pack=id' } } }],
      ['POST', '/v1/runs', { spec: { prompt: 'x', artefacts: ['../../../etc/passwd'] } }],
    ]
    expect(attempts.length).toBeGreaterThanOrEqual(30)
    for (const [method, path, body] of attempts) {
      const { status, text } = await call(method, path, body)
      expect([method, path, status >= 400 && status < 500]).toEqual([method, path, true])
      expect(text).not.toContain('secret')
    }
    // Lists contain nothing of others, and a key of another tenant is a different key.
    for (const path of ['/v1/runs', '/v1/questions', '/v1/schedules', '/v1/stats', `/v1/questions?run=${id}`])
      expect((await call('GET', path)).text).not.toMatch(/secret|victim/)
    const own = await call('POST', '/v1/runs', { spec: { prompt: 'own' }, key: 'shared-key' })
    expect(own.json.id).not.toBe(id)
    expect(await victim.runs.get(id)).toMatchObject({ state: 'queued', attempt: 0 })
    expect(await victim.questions.get(question)).toMatchObject({ answer: undefined })
    expect(await victim.schedules.list()).toHaveLength(1)
  }),
)

testWithPostgres('a token allows what its scopes say, and RemoteTrigger can start runs with it', () =>
  withApi(async (fixture, api) => {
    const { database } = fixture.fleet
    const reader = createCaller(api, await createToken(database, 'victim', { label: 'r', scopes: ['read'] }))
    expect((await reader('GET', '/v1/runs')).status).toBe(200)
    expect(await reader('POST', '/v1/runs', { prompt: 'x' })).toMatchObject({ status: 403 })
    for (const token of [undefined, 'haft_wrong', ''])
      expect((await createCaller(api, token)('GET', '/v1/runs')).status).toBe(401)
    const submitter = createCaller(api, await createToken(database, 'victim', { label: 's', scopes: ['submit'] }))
    const first = await submitter('POST', '/v1/runs', { prompt: 'build', key: 'k' })
    const second = await submitter('POST', '/v1/runs', { prompt: 'build', key: 'k' })
    expect([first.status, second.status, second.json.id]).toEqual([201, 201, first.json.task])
    expect((await submitter('GET', '/v1/runs')).status).toBe(403)
    const description = (await createCaller(api, undefined)('GET', '/openapi.json')).json
    expect(description).toMatchObject({ openapi: '3.1.0' })
    expect(Object.keys(description.paths)).toContain('/v1/questions/{id}/answer')
  }),
)
