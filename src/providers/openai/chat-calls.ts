import type { ModelEvent } from '../../contract/model.js'
import { isRecord } from '../../shared/is-record.js'
import type { CallIds } from './call-ids.js'
import { OpenCall } from './open-call.js'
import { isWholeObject } from './parse-arguments.js'

/** What of a piece of a call can be used. */
interface CallPiece {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  readonly json: string
}

interface Slot {
  readonly call: OpenCall
  readonly index: number | undefined
  readonly givenId: string
}

/** The calls of a message in a chat, out of pieces that servers number, name and cut up in many ways. */
export class ChatCalls {
  readonly #ids: CallIds
  #open: Slot[] = []
  readonly #seen = new Set<number | undefined>()
  #ended = 0

  constructor(ids: CallIds) {
    this.#ids = ids
  }

  /** How many calls there were that are a part of the message. */
  get ended(): number {
    return this.#ended
  }

  push(value: unknown): ModelEvent[] {
    const piece = pieceOf(value)
    const known = this.#slotOf(piece)
    if (known !== undefined) {
      known.call.named(piece.name)
      return known.call.push(piece.json)
    }
    const { index, id: givenId, name, json } = piece
    // A piece of what was whole already: an end of line, or the name once more.
    if (this.#seen.has(index) && (name === '' || json.trim() === '') && !this.#isOpen(index)) return []
    this.#seen.add(index)
    const events = this.#endWhole()
    const call = new OpenCall(this.#ids.claim(givenId), name)
    this.#open.push({ call, index, givenId })
    return [...events, ...call.push(json)]
  }

  /** The message is over. Where it was cut, a call that is not whole never was. */
  finish({ isCut }: { readonly isCut: boolean }): ModelEvent[] {
    const slots = this.#open
    this.#open = []
    return slots.flatMap(({ call }) => {
      if (isCut && !call.isWhole) return call.cut()
      this.#ended += 1
      return call.end()
    })
  }

  /** Calls can start while others still come. In order: one that is not whole holds back those after it. */
  #endWhole(): ModelEvent[] {
    const events: ModelEvent[] = []
    while (this.#open[0]?.call.isWhole === true) {
      events.push(...this.#open[0].call.end())
      this.#open.shift()
      this.#ended += 1
    }
    return events
  }

  #isOpen(index: number | undefined): boolean {
    return this.#open.some((slot) => slot.index === index)
  }

  #slotOf(piece: CallPiece): Slot | undefined {
    const slot = this.#numbered(piece)
    return slot !== undefined && !isAnother(piece, slot) ? slot : undefined
  }

  #numbered({ index, id, name }: CallPiece): Slot | undefined {
    if (index !== undefined) return this.#open.findLast((slot) => slot.index === index)
    if (id !== '') return this.#open.findLast((slot) => slot.givenId === id)
    return name === '' ? this.#open.at(-1) : undefined
  }
}

/** Some servers give every call the number 0, and some repeat id and name with every piece. */
function isAnother({ id, name, json }: CallPiece, { call, givenId }: Slot): boolean {
  if (name === '') return false
  if (id !== '' && givenId !== '' && id !== givenId) return true
  if (call.name !== '' && call.name !== name) return true
  // The piece first: to look at all that came so far with every piece would take ever longer.
  return isWholeObject(json) && call.isWhole
}

function pieceOf(value: unknown): CallPiece {
  const piece = isRecord(value) ? value : {}
  const made = isRecord(piece.function) ? piece.function : {}
  return {
    index: typeof piece.index === 'number' ? piece.index : undefined,
    id: typeof piece.id === 'string' ? piece.id : '',
    name: typeof made.name === 'string' ? made.name : '',
    json: argumentsOf(made.arguments),
  }
}

function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value
  // A server that has read the JSON already.
  return isRecord(value) ? JSON.stringify(value) : ''
}
