import { delay } from '../../shared/delay.js'

/** Time and chance, so that tests need neither. */
export interface RetryClock {
  /** Ends early, without an error, when the signal says so. */
  delay(ms: number, signal: AbortSignal): Promise<void>
  /** From 0 to 1. */
  random(): number
}

/** The clock of this machine. */
export const systemRetryClock: RetryClock = { random: Math.random, delay }
