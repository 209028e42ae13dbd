/**
 * The names that both ends of the NATS pair agree on, made from the subject that a person can set.
 * @param {{subject: string}} options
 */
export function subjectsOf({subject}) {
  return {
    requests: `${subject}.requests`,
    /** Every server answers here, so that a client learns whether there is one. */
    presence: `${subject}.presence`,
    queueGroup: 'servers',
  };
}
