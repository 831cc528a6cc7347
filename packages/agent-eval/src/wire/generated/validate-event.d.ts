/** Types of the generated validator. */
interface ValidateEvent {
  (value: unknown): boolean;
  errors: readonly { readonly instancePath: string; readonly message?: string; readonly params: unknown }[] | null;
}
export const validateEvent: ValidateEvent;
