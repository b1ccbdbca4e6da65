"""Many motions of one model: what varies, what is kept, engines that compute it, and a store that loses nothing."""
