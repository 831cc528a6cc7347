/** The bounds of the door, each with a name. */

export interface WireLimits {
  readonly eventsMax: number;
  /** Of a request's body as sent. */
  readonly bodyBytesMax: number;
  /** Of a request's body after inflating. */
  readonly inflatedBytesMax: number;
  /** Levels of objects and arrays in a request's JSON. */
  readonly depthMax: number;
  /** Of all bodies in flight, as sent and inflated. */
  readonly inFlightBytesMax: number;
}

export const WIRE_LIMITS: WireLimits = {
  eventsMax: 10_000,
  bodyBytesMax: 16 * 1024 * 1024,
  inflatedBytesMax: 64 * 1024 * 1024,
  depthMax: 100,
  inFlightBytesMax: 128 * 1024 * 1024,
};

/** Problems that a validation answer lists. */
export const PROBLEMS_MAX = 20;
/** Characters of an event's id in `errors[]`, and of one message. */
export const REJECT_TEXT_MAX = 256;
