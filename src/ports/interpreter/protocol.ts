import type { CodeLimit, CodeLimits } from '../../contract/ports/interpreter.js'

/**
 * A message to the process of an interpreter. `seq` counts the messages, so that the parent knows which were handled. The
 * JSON text of a reply follows as a line of its own, because a large result would take long to escape.
 */
export type FromParent =
  | {
      readonly type: 'run'
      readonly seq: number
      readonly prelude: string
      /** JSON text. */
      readonly setup: string
      /** The code as a script whose top-level variables become globals. */
      readonly script: string
      /** The same code in an async function, used if it has a `return` at its top level. */
      readonly wrapper: string
      readonly limits: CodeLimits
    }
  | { readonly type: 'reply'; readonly seq: number; readonly call: number; readonly result: ReplyResult }
  | { readonly type: 'cancel'; readonly seq: number }

/** The answer to a call: JSON text in the next line, or an error to throw in the code. */
export type ReplyResult =
  | { readonly isJson: true }
  | { readonly code: string; readonly message: string; readonly data?: string }

/** A message from the process of an interpreter. */
export type ToParent =
  | { readonly type: 'call'; readonly call: number; readonly name: string; readonly json: string }
  | { readonly type: 'emit'; readonly name: string; readonly json: string }
  /** Code starts to run: the interpreter is ready, or a timer has fired. */
  | { readonly type: 'busy' }
  /** No code runs. `seq` is the last message that was handled; left out after a timer. */
  | { readonly type: 'idle'; readonly seq?: number; readonly usedMs: number }
  | {
      readonly type: 'end'
      readonly end: RunEnd
      readonly unawaitedCalls: number
      readonly droppedChars: number
      readonly isStateLost?: boolean
    }

/** How a run ended, as its process reports it. */
export type RunEnd =
  | { readonly type: 'value'; readonly json: string }
  | {
      readonly type: 'thrown'
      readonly name: string
      readonly message: string
      readonly code?: string
      readonly stack: string
    }
  | { readonly type: 'limit'; readonly limit: CodeLimit }
  | { readonly type: 'stuck' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'crashed'; readonly message: string }
