import type { Client } from '@modelcontextprotocol/client'

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000

/** Opens the stream by which a server tells of changes again, whenever it ends without having been closed from here. */
export async function keepListening(client: Client, isOver: () => boolean, onReopened: () => void): Promise<void> {
  let subscription = client.autoOpenedSubscription
  let delay = FIRST_DELAY_MS
  while (subscription !== undefined && (await subscription.closed) !== 'local') {
    await new Promise((resolve) => setTimeout(resolve, delay).unref())
    if (isOver()) return
    delay = Math.min(delay * 2, MAX_DELAY_MS)
    try {
      subscription = await client.listen(subscription.honoredFilter)
      delay = FIRST_DELAY_MS
      // What changed meanwhile was told to nobody.
      onReopened()
    } catch {
      // The ended one is found ended again, and the next try is later.
    }
  }
}
