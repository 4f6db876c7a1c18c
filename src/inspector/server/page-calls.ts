import { randomUUID } from 'node:crypto'
import type { PageAnswer, PageCall, PageQuestion, Workbench } from '../workbench.js'

/** Something that happened to a call of the page. */
export type PageCallEvent =
  | { readonly type: 'question'; readonly question: PageQuestion }
  | { readonly type: 'ended'; readonly call: PageCall }
  | { readonly type: 'failed'; readonly message: string }

/** Runs the calls of the page, and keeps their questions until the page answers. */
export class PageCalls {
  readonly #workbench: Workbench
  readonly #questions = new Map<string, (answer: PageAnswer) => void>()
  readonly #running = new Set<AbortController>()

  constructor(workbench: Workbench) {
    this.#workbench = workbench
  }

  /** Starts a call. Returns a function that cancels it. */
  start(tool: string, input: unknown, emit: (event: PageCallEvent) => void): () => void {
    const abort = new AbortController()
    this.#running.add(abort)
    const ask = (question: PageQuestion) => this.#ask(question, emit, abort.signal)
    this.#workbench
      .call(tool, input, ask, abort.signal)
      .then(
        (call) => emit({ type: 'ended', call }),
        (error: unknown) => emit({ type: 'failed', message: error instanceof Error ? error.message : String(error) }),
      )
      .finally(() => this.#running.delete(abort))
    return () => abort.abort()
  }

  /** Answers a question. Returns whether it was still open. */
  answer(id: string, answer: PageAnswer): boolean {
    const resolve = this.#questions.get(id)
    this.#questions.delete(id)
    resolve?.(answer)
    return resolve !== undefined
  }

  close(): void {
    for (const abort of this.#running) abort.abort()
  }

  /** The page decides. If it leaves, nobody has allowed the call. */
  #ask(question: PageQuestion, emit: (event: PageCallEvent) => void, signal: AbortSignal): Promise<PageAnswer> {
    const id = randomUUID()
    return new Promise((resolve) => {
      this.#questions.set(id, resolve)
      signal.addEventListener('abort', () => this.answer(id, { behavior: 'deny' }), { once: true })
      emit({ type: 'question', question: { ...question, id } })
    })
  }
}
