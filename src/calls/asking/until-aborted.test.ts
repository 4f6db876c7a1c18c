import { expect, test } from 'vitest'
import { untilAborted } from './until-aborted.js'

test('settles as the work does', async () => {
  const { signal } = new AbortController()

  await expect(untilAborted(Promise.resolve(1), signal)).resolves.toBe(1)
  await expect(untilAborted(Promise.reject(new Error('work')), signal)).rejects.toThrow('work')
})

test('leaves work behind that does not end', async () => {
  const controller = new AbortController()
  const waiting = untilAborted(new Promise(() => {}), controller.signal)

  controller.abort(new Error('enough'))

  await expect(waiting).rejects.toThrow('enough')
  await expect(untilAborted(new Promise(() => {}), controller.signal)).rejects.toThrow('enough')
})
