/** Something that can only begin when others have ended. */
export class Waiter {
  /** How many still have to end. */
  waitingFor = 0
  /** It has its answer, and will not begin any more. */
  isDone = false
  /** It holds nobody back any more: it has ended, and so have all that it waited for. */
  hasPassed = false
  /** Made when the first comes: most calls hold nobody up. */
  #dependents: Waiter[] | undefined

  /** Nothing is in its way any more. */
  onFree(): void {}

  waitFor(earlier: Waiter | undefined): void {
    if (earlier === undefined || earlier.hasPassed || earlier === this) return
    // All waits of one newcomer are set one after the other, so that a second for the same one stands last.
    const others = earlier.#dependents
    if (others?.at(-1) === this) return
    if (others === undefined) earlier.#dependents = [this]
    else others.push(this)
    this.waitingFor++
  }

  /**
   * Lets go of those that waited for it, as soon as it waits for nobody itself: one that was cancelled while queued
   * stands for all before it, because whoever came later waits for them only through it.
   */
  end(): void {
    this.isDone = true
    if (this.waitingFor > 0 || this.hasPassed) return
    // A loop, because joints and cancelled calls form chains as long as a message has calls.
    const passing: Waiter[] = [this]
    for (let waiter = passing.pop(); waiter !== undefined; waiter = passing.pop()) {
      waiter.hasPassed = true
      const dependents = waiter.#dependents ?? []
      waiter.#dependents = undefined
      for (const dependent of dependents) {
        if (--dependent.waitingFor > 0) continue
        if (dependent.isDone) passing.push(dependent)
        else dependent.onFree()
      }
    }
  }
}

/** Ends when all that it waits for have ended: one thing to wait for instead of many. */
class Joint extends Waiter {
  override isDone = true
}

/**
 * Those that hold a thing together. However many they are, whoever comes next waits for one joint of them,
 * so that a thousand readers before a thousand writers are two thousand arrows and not a million.
 */
export class Crowd {
  #members: Waiter[] = []

  add(member: Waiter): void {
    this.#members.push(member)
  }

  holdBack(newcomer: Waiter): void {
    if (this.#members.length > 1) this.#members = joined(this.#members)
    newcomer.waitFor(this.#members[0])
  }
}

function joined(members: readonly Waiter[]): Waiter[] {
  const alive = members.filter(({ hasPassed }) => !hasPassed)
  if (alive.length <= 1) return alive
  const joint = new Joint()
  for (const member of alive) joint.waitFor(member)
  return [joint]
}
