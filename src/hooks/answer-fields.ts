import { isRecord } from '../shared/is-record.js'
import { clipText } from './clip-text.js'

/**
 * Reads the fields of an answer one by one. A field of the wrong type is noted and counts as left out;
 * so does null, without a note, because many languages write it for what is unset.
 */
export class AnswerFields {
  readonly #json: Readonly<Record<string, unknown>>
  readonly #problems: string[]

  constructor(json: Readonly<Record<string, unknown>>, problems: string[]) {
    this.#json = json
    this.#problems = problems
  }

  text(name: string): string | undefined {
    const text = this.#read(name, 'a text', (value) => typeof value === 'string')
    return text === undefined || text === '' ? undefined : clipText(text)
  }

  flag(name: string): boolean | undefined {
    return this.#read(name, 'true or false', (value) => typeof value === 'boolean')
  }

  oneOf<const T extends string>(name: string, words: readonly T[], otherwise = 'and was ignored'): T | undefined {
    const isWord = (value: unknown): value is T => words.includes(value as T)
    return this.#read(name, `one of ${words.join(', ')}`, isWord, otherwise)
  }

  /** Whether something is said there, and it is none of these words. */
  saysOtherThan(name: string, ...words: readonly unknown[]): boolean {
    const value = this.#own(name) ?? undefined
    return value !== undefined && !words.includes(value)
  }

  object(name: string): Readonly<Record<string, unknown>> | undefined {
    return this.#read(name, 'an object', isRecord)
  }

  part(name: string): AnswerFields {
    return new AnswerFields(this.object(name) ?? {}, this.#problems)
  }

  /** Any value but null, which cannot be told from a field that is unset. */
  value(name: string): unknown {
    const value = this.#own(name)
    if (value === null) this.#problems.push(`${name} is null and was ignored.`)
    return value ?? undefined
  }

  note(problem: string): void {
    this.#problems.push(problem)
  }

  #read<T>(
    name: string,
    wanted: string,
    fits: (value: unknown) => value is T,
    otherwise = 'and was ignored',
  ): T | undefined {
    const value = this.#own(name)
    if (value === undefined || value === null) return undefined
    if (fits(value)) return value
    this.#problems.push(`${name} must be ${wanted} ${otherwise}.`)
    return undefined
  }

  #own(name: string): unknown {
    return Object.hasOwn(this.#json, name) ? this.#json[name] : undefined
  }
}
