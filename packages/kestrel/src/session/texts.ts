/**
 * Canonical texts of frames and candles, which never change once they are made: a frame is hashed, logged and answered,
 * its candles stand in every later frame, and one list of them in all frames of one instant.
 */
import { type Sha256, sha256 } from 'ground/digest';
import { jcs, type KnownTexts } from 'ground/jcs';
import type { Frame } from './frame.ts';

export const frameTexts: KnownTexts = new WeakMap();

/** H(frame). */
export function frameRootOf(frame: Frame): Sha256 {
  let text = frameTexts.get(frame);
  if (text === undefined) {
    for (const { candles } of frame.tape) {
      if (frameTexts.has(candles)) continue;
      for (const candle of candles) if (!frameTexts.has(candle)) frameTexts.set(candle, jcs(candle));
      frameTexts.set(candles, jcs(candles, frameTexts));
    }
    text = jcs(frame, frameTexts);
    frameTexts.set(frame, text);
  }
  return sha256(text);
}
