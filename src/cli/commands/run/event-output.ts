import type { ToolEvent } from '../../../contract/events.js'
import { findToolByName } from '../../../contract/tool/identity.js'
import { builtInTools } from '../../../tools/index.js'
import type { CommandHost } from '../../command-host.js'
import { eventLine } from './event-line.js'

/** Lines that may wait for a slow reader before progress, of which more comes, is left out. */
const MAX_WAITING = 1_000

/** Writes events as they happen. */
export class EventOutput {
  readonly #host: Pick<CommandHost, 'write'>
  #waiting = 0
  /** The number of the message whose calls are under way. */
  messageNumber = 0

  constructor(host: Pick<CommandHost, 'write'>) {
    this.#host = host
  }

  add(event: ToolEvent): void {
    if (event.type === 'call-progressed' && this.#waiting >= MAX_WAITING) return
    this.#waiting++
    const findTool = (name: string) => findToolByName(builtInTools, name)
    void this.#host.write(eventLine(event, { messageNumber: this.messageNumber, findTool })).then(() => {
      this.#waiting--
    })
  }
}
