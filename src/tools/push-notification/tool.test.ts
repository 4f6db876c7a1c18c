import { expect, test } from 'vitest'
import type { NotificationDelivery } from '../../contract/ports/notify.js'
import { callTool } from '../../testing/call-tool.js'
import { PushNotificationTool } from './tool.js'

const push = (deliveries: readonly NotificationDelivery[]) =>
  callTool(
    PushNotificationTool,
    { title: 'Done', message: 'All tests pass.' },
    { notify: { push: async () => deliveries } },
  )

test('the model learns which channels the notification reached', async () => {
  expect(await push([{ channel: 'terminal' }, { channel: 'webhook', problem: 'timed out' }])).toBe(
    'Notified the user: the terminal.\nIt did not reach the webhook: timed out.',
  )
})

test('a notification that reached no channel is an error', async () => {
  await expect(push([{ channel: 'desktop', problem: 'notify-send is not installed' }])).rejects.toThrow(
    'The notification did not arrive (the desktop: notify-send is not installed).',
  )
})
