import type { ModelEvent } from '../../contract/model.js'
import { isWholeObject, parseArguments } from './parse-arguments.js'

/** A call whose arguments are still coming. Each step gives the events that it makes. */
export class OpenCall {
  readonly id: string
  #name: string
  #json = ''
  /** What came before the name did. */
  #waiting = ''
  #isBegun = false

  constructor(id: string, name = '') {
    this.id = id
    this.#name = name
  }

  get name(): string {
    return this.#name
  }

  get json(): string {
    return this.#json
  }

  get isWhole(): boolean {
    return isWholeObject(this.#json)
  }

  named(name: string): void {
    if (this.#name === '') this.#name = name
  }

  push(json: string): ModelEvent[] {
    this.#json += json
    this.#waiting += json
    return this.#name === '' ? [] : this.#flush()
  }

  end(): ModelEvent[] {
    const { id, name } = this
    const block = { type: 'tool_use', id, name, input: parseArguments(this.#json) } as const
    return [...this.#flush(), { type: 'block-ended', block }]
  }

  cut(): ModelEvent[] {
    return this.#isBegun ? [{ type: 'call-cut', id: this.id, name: this.#name }] : []
  }

  #flush(): ModelEvent[] {
    const { id, name } = this
    const events: ModelEvent[] = this.#isBegun ? [] : [{ type: 'call-begun', id, name }]
    if (this.#waiting !== '') events.push({ type: 'input-delta', id, json: this.#waiting })
    this.#isBegun = true
    this.#waiting = ''
    return events
  }
}
