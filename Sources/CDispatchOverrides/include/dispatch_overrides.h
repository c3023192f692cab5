// Defines nothing: who links CDispatchOverrides has its definitions.
