const MAX_PROMPTS = 1_000

/** When each prompt of this process was started, by its uuid, so that the files from before it can be restored. */
export class PromptTimes {
  readonly #times = new Map<string, number>()

  add(uuid: string): void {
    this.#times.set(uuid, Date.now())
    if (this.#times.size > MAX_PROMPTS) for (const [oldest] of [...this.#times].slice(0, 1)) this.#times.delete(oldest)
  }

  find(uuid: string): number | undefined {
    return this.#times.get(uuid)
  }
}
