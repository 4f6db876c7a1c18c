import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { isAlive, waitUntil } from '../../testing/running-processes.js'
import { createServicePort } from './create-service-port.js'

test('a service inherits only the variables that every program needs, and no secret of the host', async () => {
  const host = { ...process.env, API_KEY: 'secret', LC_ALL: 'C', BASH_ENV: '/tmp/x' }
  const port = createServicePort(host)
  const service = await port.start({ command: 'env', args: [], env: { OWN: 'yes' } })
  const output = await text(service.stdout)

  expect(output).toContain('OWN=yes')
  expect(output).toContain('LC_ALL=C')
  expect(output).toContain(`PATH=${process.env.PATH}`)
  expect(output).not.toMatch(/secret|BASH_ENV/)
  expect(await service.exited).toBe('exit code 0')
  await port.dispose()
})

test('a service that ignores the end of its input and SIGTERM is killed with all processes that it started', async () => {
  const port = createServicePort(process.env)
  const script = "trap '' TERM; setsid sleep 1000 & echo $!; while :; do sleep 1; done"
  const service = await port.start({ command: 'bash', args: ['-c', script], env: {} })
  let output = ''
  service.stdout.on('data', (chunk) => {
    output += chunk
  })
  await waitUntil(() => output.includes('\n'))
  expect(isAlive(Number(output))).toBe(true)

  await port.dispose()
  expect([isAlive(service.pid), isAlive(Number(output))]).toEqual([false, false])
  await expect(port.start({ command: 'true', args: [], env: {} })).rejects.toMatchObject({ code: 'unavailable' })
})

test('the error for a missing working folder names the folder', async () => {
  const port = createServicePort(process.env)

  await expect(port.start({ command: 'true', args: [], env: {}, cwd: '/no/such/folder' })).rejects.toThrow(
    'The working directory "/no/such/folder" does not exist.',
  )
  await port.dispose()
})
