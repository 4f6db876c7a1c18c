import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import { raceWithAbort, waitAtMost } from '../../shared/waiting.js'
import type { PermissionAnswer } from '../call-environment.js'

/** What settled a question in place of the user. */
export type Settlement =
  | { readonly by: 'hook'; readonly answer: PermissionAnswer }
  | { readonly by: 'classifier'; readonly outcome: PermissionOutcome }

interface Sources {
  /** The answer of the PermissionRequest hooks; undefined if none matches. */
  readonly hooks: Promise<PermissionAnswer | undefined> | undefined
  readonly question: PermissionOutcome
}

/**
 * The hooks and the classifier that work on a question while the user reads it. A hook's denial counts whatever the user and the
 * classifier answer, so both wait for hooks before they allow a call. Once the user has begun to answer, nothing else allows it.
 */
export class OtherAnswers {
  readonly #hooks: Promise<Settlement | undefined> | undefined
  readonly #withdrawal = new AbortController()
  readonly #hasHooks: boolean
  readonly #hasClassifier: boolean
  #isUserAnswering = false
  #settlement: Settlement | undefined

  constructor({ hooks, question }: Sources) {
    const { laterOutcome, isOpen } = question
    this.#hasHooks = hooks !== undefined
    this.#hasClassifier = laterOutcome !== undefined
    this.#hooks = hooks?.then((answer) => {
      // Only questions that come from a mode or the default can be answered by a hook.
      const counts = answer?.behavior === 'deny' || (answer?.behavior === 'allow' && isOpen === true)
      return counts ? this.#settle({ by: 'hook', answer }) : undefined
    })
    // Failures reach those who wait for the hooks; without one they are of no interest.
    this.#hooks?.catch(() => {})
    laterOutcome?.then((outcome) => this.#followClassifier(outcome)).catch(() => {})
  }

  /** Whether anything besides the user can settle the question. */
  get canSettle(): boolean {
    return this.#hasHooks || this.#hasClassifier
  }

  /** What has settled the question so far. */
  get settlement(): Settlement | undefined {
    return this.#settlement
  }

  /** Aborted when the question is settled without the user. */
  get withdrawn(): AbortSignal {
    return this.#withdrawal.signal
  }

  beginUserAnswer(): void {
    this.#isUserAnswering = true
  }

  /** Waits for hooks, but not longer than the user should wait for the question. */
  async waitBeforeQuestion(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#hooks !== undefined) await waitAtMost(ms, this.#hooks, signal)
  }

  /** Returns the denial of a hook, which counts although the user has allowed the call. */
  async findDenial(signal: AbortSignal): Promise<Settlement | undefined> {
    const settlement = this.#hooks && (await raceWithAbort(this.#hooks, signal))
    return isDenial(settlement) ? settlement : undefined
  }

  async #followClassifier(outcome: PermissionOutcome): Promise<void> {
    if (outcome.behavior === 'ask') return
    if (outcome.behavior === 'allow' && (await this.#hooks) !== undefined) return
    this.#settle({ by: 'classifier', outcome })
  }

  #settle(settlement: Settlement): Settlement {
    const isInTime = !this.#isUserAnswering || isDenial(settlement)
    if (this.#settlement === undefined && isInTime) {
      this.#settlement = settlement
      this.#withdrawal.abort()
    }
    return settlement
  }
}

function isDenial(settlement: Settlement | undefined): boolean {
  return settlement?.by === 'hook' && settlement.answer.behavior === 'deny'
}
