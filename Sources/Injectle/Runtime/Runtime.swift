/// The layer below all others: it knows nothing of services, and compiles and is tested without the rest of the library.
///
/// The generic types of this layer are nested here, so that the library can name their specializations as it needs them.
enum Runtime {}
