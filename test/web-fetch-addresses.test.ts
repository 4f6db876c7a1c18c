import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const projectFolder = resolve(import.meta.dirname, '..')
let folder: string

interface Report {
  readonly results: readonly { readonly url: string; readonly reached: boolean; readonly text: string }[]
  readonly publicPage: string
  readonly allowedPage: string
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-web-'))
  await writeFile(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n')
  const hosts = 'public local ten metadata six unique mapped nat64 sixtofour zero carrier rebind rebind-six'.split(' ')
  // The certificate is valid for every name and address of the attacks, so that it makes no attack fail.
  const names = [...hosts.map((host) => `${host}.test`), 'localhost', '*.localhost'].map((name) => `DNS:${name}`)
  const private4 = ['127.0.0.1', '10.1.2.3', '172.16.0.9', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0']
  const private6 = ['::1', '::', 'fd00::1', 'fd00:ec2::254', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:0:7f00:1::']
  const addresses = [...private4, ...private6, '::ffff:127.0.0.1'].map((address) => `IP:${address}`)
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem'), '-subj', '/CN=test'],
    ...['-addext', `subjectAltName=${[...names, ...addresses].join(',')}`],
  ])
})

afterAll(() => rm(folder, { recursive: true }))

test('no URL, redirect or changing name reaches a private address', { timeout: 180_000 }, async () => {
  const script = join(projectFolder, 'test/fixtures/web/address-attacks.mjs')
  const commands = [
    'ip link set lo up',
    `mount --bind ${join(folder, 'resolv.conf')} /etc/resolv.conf`,
    `exec "$0" ${script} ${projectFolder} ${folder}`,
  ]
  const { stdout } = await run('unshare', ['-rnm', 'sh', '-ec', commands.join('\n'), process.execPath], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') },
    maxBuffer: 10_000_000,
  })
  const report = JSON.parse(stdout) as Report

  expect(report.results.length).toBeGreaterThanOrEqual(60)
  expect(report.results.filter(({ reached }) => reached)).toEqual([])
  // The servers work: a public page is fetched over TLS, and the setting allows a private host, without TLS.
  expect(report.publicPage).toContain('# A page over TLS')
  expect(report.allowedPage).toContain('the secret of the local network')
})
