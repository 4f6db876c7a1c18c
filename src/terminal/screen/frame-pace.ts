/** The time between two frames that were not caused by a key. */
const FRAME_MS = 60
/**
 * The time between two frames while text arrives much faster than anybody can read. It is then drawn a line or two at a time,
 * because a frame writes about 50 bytes besides its text.
 */
const FAST_FRAME_MS = 200
const FRAME_OVERHEAD = 50
/** The number of characters per millisecond from which text is fast: about 80 words a second. */
const FAST_TEXT_RATE = 0.4

/** Decides when the next frame is drawn, by how much text the last one had. */
export class FramePace {
  #frameMs = FRAME_MS
  #lastFrameAt = Number.NEGATIVE_INFINITY
  #length = 0

  addOutput(text: string): void {
    this.#length += text.length
  }

  /** Called after a frame has been written. */
  endFrame(now: number): void {
    const rate = (this.#length - FRAME_OVERHEAD) / (now - this.#lastFrameAt)
    this.#frameMs = rate > FAST_TEXT_RATE ? FAST_FRAME_MS : FRAME_MS
    this.#lastFrameAt = now
    this.#length = 0
  }

  /** Returns the time to wait before the next frame. */
  computeWait(now: number): number {
    return Math.max(0, this.#lastFrameAt + this.#frameMs - now)
  }
}
