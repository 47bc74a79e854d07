/** A part of the template: a resource, a statement, a value of an intrinsic function. */
export type Part = string | number | boolean | readonly Part[] | { readonly [key: string]: Part };

export const ref = (id: string): Part => ({ Ref: id });
export const arnOf = (id: string): Part => ({ 'Fn::GetAtt': [id, 'Arn'] });
/** A variable inside a text: CloudFormation's in a `sub`, osls' (with a colon in lower case) anywhere. */
export const variable = (name: string) => `\${${name}}`;
export const STAGE = variable('sls:stage');
/** A text with CloudFormation's variables in it. */
export const sub = (text: string): Part => ({ 'Fn::Sub': text });

/** `classify` as the template names what belongs to it: `Classify`. */
const capital = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Logical ids. osls makes those of functions and of their log groups the same way. */
export const queueOf = (hop: string) => `${capital(hop)}Queue`;
export const deadLettersOf = (name: string) => `${capital(name)}DeadLetters`;
export const ruleOf = (hop: string) => `${capital(hop)}Rule`;
export const roleOf = (name: string) => `${capital(name)}Role`;
export const functionOf = (name: string) => `${capital(name)}LambdaFunction`;
export const logGroupOf = (name: string) => `${capital(name)}LogGroup`;
export const alarmOf = (name: string, what: string) => `${capital(name)}${what}Alarm`;

export const BUS = 'EventBus';
export const TABLE = 'Table';
/** What EventBridge could put on no queue, and what no rule of a hop knows. */
export const UNDELIVERED = 'UndeliveredQueue';
export const STRANGE = 'StrangeQueue';
export const TOPIC = 'AlarmTopic';
