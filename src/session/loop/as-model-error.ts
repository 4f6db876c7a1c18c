import { ModelError } from '../../contract/model/model-error.js'
import { reasonOf } from '../../shared/reason-of.js'

/** A model should fail with nothing else; what it did fail with may be a mistake of ours, which no retry mends. */
export function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error
  return new ModelError('invalid_request', reasonOf(error) || 'The model failed without saying why.', { cause: error })
}
