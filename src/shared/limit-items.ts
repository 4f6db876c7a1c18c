interface CheckContext {
  addIssue(message: string): void
}

/**
 * Returns a function for `z.preprocess` that refuses a list with too many items. The schema of the list would check every
 * item before its length, and describe the problems of every item.
 */
export function limitItems(maxItems: number, advice: string) {
  return (value: unknown, context: CheckContext): unknown => {
    if (Array.isArray(value) && value.length > maxItems)
      context.addIssue(`The list has ${value.length} items; it can have at most ${maxItems} items. ${advice}`)
    return value
  }
}
