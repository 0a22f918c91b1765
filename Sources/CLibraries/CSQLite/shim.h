// The one header that the module `CSQLite` is made of.
#pragma once
#include <sqlite3.h>
